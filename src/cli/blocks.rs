//! `simulate blocks`: lists the block library.

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::library_page::page;
use super::output::{SUCCESS, json, print};
use crate::block::description::{BlockDescription, described, description_text};
use crate::block::library::group_title;
use crate::components::Components;
use crate::plugin::UserPlugins;

#[derive(Debug, Args)]
pub struct BlocksArgs {
    /// The output format
    #[arg(long, value_enum, default_value_t)]
    format: BlocksFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum BlocksFormat {
    #[default]
    Text,
    Json,
    Markdown,
}

pub fn run(args: &BlocksArgs, components: &Components) -> ExitCode {
    let registry = UserPlugins::of_user().added_to(&components.registry, None);
    let blocks: Vec<BlockDescription> = registry.iter().map(described).collect();
    let text = match args.format {
        BlocksFormat::Text => by_group(
            &blocks,
            |group| match group_title(group) {
                title if title == group => format!("{group}\n"),
                title => format!("{group} ({title})\n"),
            },
            description_text,
        ),
        BlocksFormat::Markdown => page(&blocks),
        BlocksFormat::Json => json(&blocks),
    };
    print(&text, SUCCESS)
}

/// Lists all blocks, with a heading for each group.
fn by_group(
    blocks: &[BlockDescription],
    heading: fn(&str) -> String,
    block: fn(&BlockDescription) -> String,
) -> String {
    let groups = blocks.chunk_by(|one, next| one.group == next.group);
    let text = |group: &[BlockDescription]| {
        let title = group.first().map(|first| heading(first.group)).unwrap_or_default();
        title + group.iter().map(block).collect::<String>().as_str()
    };
    groups.map(text).collect()
}
