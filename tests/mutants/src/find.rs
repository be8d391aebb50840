//! Finds what can be mutated in a source file. Knows nothing of building and running.

use std::ops::Range;

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Lit, RangeLimits, Stmt, Token, UnOp};

/// A change of one place of a file. Ranges are bytes of the file.
#[derive(Clone)]
pub struct Mutant {
    pub file: String,
    /// The expression or statement that is chosen at run time.
    pub whole: Range<usize>,
    /// The part of it that is replaced, and by what.
    pub part: Range<usize>,
    pub instead: String,
    /// The whole is a statement, with its semicolon.
    pub is_statement: bool,
}

impl Mutant {
    /// The whole with the part replaced.
    pub fn mutated(&self, source: &str) -> String {
        let (begin, end) = (&source[self.whole.start..self.part.start], &source[self.part.end..self.whole.end]);
        format!("{begin}{}{end}", self.instead)
    }

    /// The first line it stands on, before and after; the same text in two places of a file is one name.
    pub fn lines(&self, source: &str) -> (String, String) {
        let begin = source[..self.part.start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = |from: usize| source[from..].find('\n').map_or(source.len(), |at| from + at);
        let before = source[begin..line_end(self.part.start)].trim();
        if self.is_statement && self.instead.is_empty() {
            return (before.into(), String::new());
        }
        let after = format!(
            "{}{}{}",
            &source[begin..self.part.start],
            self.instead,
            &source[self.part.end..line_end(self.part.end)]
        );
        (before.into(), after.trim().into())
    }

    pub fn line_number(&self, source: &str) -> usize {
        source[..self.part.start].matches('\n').count() + 1
    }
}

/// All mutants of a file, from its begin to its end, and then those of a list of texts and what stands there instead.
pub fn mutants(file: &str, source: &str, listed: &[(&str, &str)]) -> (Vec<Mutant>, Vec<Mutant>) {
    let parsed = syn::parse_file(source).unwrap_or_else(|error| panic!("{file}: {error}"));
    let places = listed.iter().map(|(find, instead)| {
        let places: Vec<usize> = source.match_indices(find).map(|(at, _)| at).collect();
        let [at] = places[..] else { panic!("{file}: `{find}` stands in {} places", places.len()) };
        (at..at + find.len(), *instead)
    });
    let places: Vec<_> = places.collect();
    let mut finder =
        Finder { file, source, is_const: false, found: Vec::new(), smallest: vec![None; places.len()], places };
    finder.visit_file(&parsed);
    let smallest = finder.smallest.into_iter().zip(listed);
    let listed = smallest.map(|(mutant, (find, _))| mutant.unwrap_or_else(|| panic!("{file}: `{find}` is constant")));
    (finder.found, listed.collect())
}

/// Methods that take the place of each other.
const SWAPPED: [(&str, &str); 12] = [
    ("min", "max"),
    ("and", "or"),
    ("any", "all"),
    ("floor", "ceil"),
    ("sin", "cos"),
    ("first", "last"),
    ("is_some", "is_none"),
    ("fadd", "fsub"),
    ("fmul", "fdiv"),
    ("iadd", "isub"),
    ("saturating_sub", "wrapping_sub"),
    ("wrapping_add", "wrapping_sub"),
];

struct Finder<'a> {
    file: &'a str,
    source: &'a str,
    /// What is worked out by the compiler cannot be chosen at run time.
    is_const: bool,
    found: Vec<Mutant>,
    /// The listed texts, with the smallest expression around each.
    places: Vec<(Range<usize>, &'a str)>,
    smallest: Vec<Option<Mutant>>,
}

impl Finder<'_> {
    /// Outer ones come first.
    fn surround(&mut self, whole: Range<usize>, is_statement: bool) {
        for ((part, instead), smallest) in self.places.iter().zip(&mut self.smallest) {
            if whole.start <= part.start && part.end <= whole.end && !self.is_const {
                let (file, whole, part) = (self.file.into(), whole.clone(), part.clone());
                *smallest = Some(Mutant { file, whole, part, instead: (*instead).into(), is_statement });
            }
        }
    }

    fn add(&mut self, whole: Span, part: Range<usize>, instead: &str) {
        if !self.is_const {
            let (file, whole) = (self.file.into(), whole.byte_range());
            self.found.push(Mutant { file, whole, part, instead: instead.into(), is_statement: false });
        }
    }

    fn within(&mut self, is_const: bool, visit: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.is_const, is_const);
        visit(self);
        self.is_const = before;
    }

    fn literal(&mut self, whole: Span, literal: &Lit) {
        let instead = match literal {
            Lit::Bool(literal) => (!literal.value).to_string(),
            Lit::Int(literal) => match literal.base10_parse::<u64>() {
                Ok(value) if value < u64::MAX => format!("{}{}", value + 1, literal.suffix()),
                _ => return,
            },
            Lit::Float(literal) => match literal.base10_parse::<f64>() {
                Ok(0.0) => "1.0".into(),
                Ok(value) if (value * 1.001).is_finite() => format!("{:?}{}", value * 1.001, literal.suffix()),
                _ => return,
            },
            _ => return,
        };
        self.add(whole, literal.span().byte_range(), &instead);
    }
}

fn operators(operator: &BinOp) -> &'static [&'static str] {
    match operator {
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["/"],
        BinOp::Div(_) => &["*"],
        BinOp::Rem(_) => &["/"],
        BinOp::Lt(_) => &["<=", ">"],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<"],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitXor(_) => &["|"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::MulAssign(_) => &["/="],
        BinOp::DivAssign(_) => &["*="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::BitAndAssign(_) => &["|="],
        _ => &[],
    }
}

fn has_let(expr: &Expr) -> bool {
    match expr {
        Expr::Let(_) => true,
        Expr::Binary(binary) => has_let(&binary.left) || has_let(&binary.right),
        _ => false,
    }
}

/// What is built under some condition only: tests, the window, other systems.
fn is_conditional(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| attribute.path().is_ident("cfg"))
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        let span = expr.span();
        self.surround(span.byte_range(), false);
        match expr {
            Expr::Binary(binary) if !has_let(expr) => {
                for instead in operators(&binary.op) {
                    self.add(span, binary.op.span().byte_range(), instead);
                }
            }
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_) | UnOp::Not(_)) => {
                self.add(span, unary.op.span().byte_range(), "");
            }
            Expr::Lit(literal) => self.literal(span, &literal.lit),
            Expr::MethodCall(call) => {
                let name = call.method.to_string();
                for (one, other) in SWAPPED {
                    let instead = if name == one { other } else { one };
                    if name == one || name == other {
                        self.add(span, call.method.span().byte_range(), instead);
                    }
                }
            }
            Expr::Range(range) => {
                if let Some(end) = &range.end {
                    let (part, step) = (end.span().byte_range(), matches!(range.limits, RangeLimits::HalfOpen(_)));
                    let text = &self.source[part.clone()];
                    self.add(span, part, &format!("({text}) {} 1", if step { '+' } else { '-' }));
                }
            }
            _ => {}
        }
        visit::visit_expr(self, expr);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if matches!(statement, Stmt::Expr(_, Some(_))) {
            self.surround(statement.span().byte_range(), true);
        }
        if let Stmt::Expr(expr, Some(_)) = statement {
            let called = if let Expr::Try(tried) = expr { &*tried.expr } else { expr };
            if matches!(called, Expr::MethodCall(_) | Expr::Call(_)) && !self.is_const {
                let (file, whole) = (self.file.into(), statement.span().byte_range());
                self.found.push(Mutant {
                    file,
                    part: whole.clone(),
                    whole,
                    instead: String::new(),
                    is_statement: true,
                });
            }
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Mod(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Static(item) => &item.attrs,
            syn::Item::Const(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_conditional(attributes) {
            visit::visit_item(self, item);
        }
    }

    /// What people read is not looked at.
    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        let name =
            item.trait_.as_ref().and_then(|(_, path, _)| path.segments.last()).map(|last| last.ident.to_string());
        if !matches!(name.as_deref(), Some("Display" | "Debug")) {
            visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.within(item.sig.constness.is_some(), |finder| visit::visit_item_fn(finder, item));
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_conditional(&item.attrs) {
            self.within(item.sig.constness.is_some(), |finder| visit::visit_impl_item_fn(finder, item));
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.within(true, |finder| visit::visit_item_const(finder, item));
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.within(true, |finder| visit::visit_impl_item_const(finder, item));
    }

    fn visit_trait_item_const(&mut self, item: &'ast syn::TraitItemConst) {
        self.within(true, |finder| visit::visit_trait_item_const(finder, item));
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.within(true, |finder| visit::visit_item_static(finder, item));
    }

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    /// The body of a closure runs, also of one that stands in a table.
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.within(false, |finder| visit::visit_expr_closure(finder, closure));
    }

    fn visit_expr_repeat(&mut self, repeat: &'ast syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        if call.path.is_ident("vec")
            && let Ok(elements) = call.parse_body_with(Punctuated::<Expr, Token![,]>::parse_terminated)
        {
            // A finder looks at what outlives it, and these do not outlive this one.
            for element in &elements {
                let (file, source, is_const) = (self.file, self.source, self.is_const);
                let (found, places, smallest) = (Vec::new(), Vec::new(), Vec::new());
                let mut inner = Finder { file, source, is_const, found, places, smallest };
                inner.visit_expr(element);
                self.found.append(&mut inner.found);
            }
        }
    }

    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_type(&mut self, _: &'ast syn::Type) {}
    fn visit_variant(&mut self, _: &'ast syn::Variant) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}
    fn visit_angle_bracketed_generic_arguments(&mut self, _: &'ast syn::AngleBracketedGenericArguments) {}
}
