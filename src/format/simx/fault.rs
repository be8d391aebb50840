//! The errors of XML that is not well formed; messages name the expected text.

use crate::model::TextPosition;

#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum Fault {
    #[error("the file is empty, but a <simulation> element is expected")]
    Empty,
    #[error("the file has no element, but <simulation> is expected")]
    NoRoot,
    #[error("a second root element <{0}>, but nothing except comments may follow </simulation>")]
    SecondRoot(String),
    #[error("text outside the root element, where only comments may stand")]
    TextOutside,
    #[error("<{0}> is never closed; </{0}> is expected before the end of the file")]
    NeverClosed(String),
    #[error("</{found}> closes nothing here; </{open}> is expected, for the tag at {at}")]
    WrongEnd { found: String, open: String, at: TextPosition },
    #[error("</{0}> closes nothing; no tag is open here")]
    NothingOpen(String),
    #[error("{0} begins here and never ends; {1} is expected")]
    Unended(&'static str, &'static str),
    #[error("the tag that begins here has a value whose closing quote is missing")]
    EndlessQuote,
    #[error("“<!” begins neither a comment (<!--) nor CDATA (<![CDATA[) nor a DOCTYPE")]
    Markup,
    #[error("the character U+{:04X} is not allowed in XML", u32::from(*.0))]
    Character(char),
    #[error("a name is expected here, but “{0}” is found")]
    Name(String),
    #[error("the attribute “{0}” has no value; {0}=\"…\" is expected")]
    NoValue(String),
    #[error("the value of “{0}” must be in quotes")]
    NoQuote(String),
    #[error("a space is expected between attributes")]
    NoSpace,
    #[error("“<” in the value of “{0}”, where &lt; is expected; or is the quote before it missing?")]
    LessInValue(String),
    #[error("the attribute “{0}” is duplicated in this tag")]
    SameAttribute(String),
    #[error("“&” does not begin a reference here; &amp; is expected")]
    Ampersand,
    #[error("the entity &{0}; is unknown; use only &amp; &lt; &gt; &quot; &apos; and numeric references")]
    Entity(String),
    #[error("&{0}; is not a character that XML allows")]
    CharacterReference(String),
    #[error("“]]>” in text, where ]]&gt; is expected")]
    CDataEnd,
    #[error("“--” within a comment, where only --> at its end is allowed")]
    Hyphens,
    #[error("the XML declaration is invalid; <?xml version=\"1.0\" encoding=\"UTF-8\"?> is expected")]
    Declaration,
    #[error("the XML declaration must be at the start of the file")]
    LateDeclaration,
    #[error("only one DOCTYPE is allowed, before the root element")]
    LateDoctype,
    #[error("the DOCTYPE is invalid; <!DOCTYPE simulation> is expected")]
    Doctype,
    #[error("the DOCTYPE declares entities or elements, which are not supported; remove the part in […]")]
    DoctypeSubset,
}

/// Shortens a text from the file for a message.
pub(super) fn short(text: &str) -> String {
    const MAX_LETTERS: usize = 60;
    match text.char_indices().nth(MAX_LETTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
