//! Names that a name of the diagram may not have in the code: the code is to compile as C and as C++, with the libraries of
//! both.

/// The keywords of C, up to C23, and of C++, up to C++23, and other names that compilers treat as keywords.
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t \
    class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default \
    delete do double dynamic_cast else enum explicit export extern false far float for friend goto huge i386 if import inline \
    int interface linux long module mutable namespace near new noexcept not not_eq nullptr operator or or_eq private \
    protected public register reinterpret_cast requires restrict return short signed sizeof small static static_assert \
    static_cast struct switch template this thread_local throw true try typedef typeid typename typeof typeof_unqual union \
    unix unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Types, functions and macros of the libraries, of which many are functions that compilers know.
const LIBRARIES: &str = "acos asin assert atan bool ceil copysign copysignf cos cosh double_t errno exp fabs fabsf float_t \
    floor floorf fmax fmin fmod fmodf fpclassify frexp gamma int16_t int32_t int64_t int8_t intptr_t isfinite isinf isnan \
    isnormal j0 j1 jn ldexp log log10 memcmp memcpy memset modf nan offsetof pow ptrdiff_t round roundf signal signbit sin \
    sinh size_t sqrt sqrtf stderr stdin stdout tan tanh time trunc truncf uint16_t uint32_t uint64_t uint8_t uintptr_t y0 \
    y1 yn";

/// Names that the code uses itself.
const OWN: &str = "main self i x rates time step status state states inputs outputs parameters derived signals solver \
    histories sum product index count";

/// Names of a model whose files would stand for those of a library, or for those of the mathematics.
const FILES: &str = "alloca assert complex ctype endian errno features fenv float inttypes iso646 limits locale malloc math \
    memory setjmp signal simulate simulate_math stdalign stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn \
    string strings tgmath threads time uchar unistd version wchar wctype";

/// Returns the names that no variable may have.
pub fn names() -> impl Iterator<Item = &'static str> {
    [KEYWORDS, LIBRARIES, OWN].into_iter().flat_map(str::split_whitespace)
}

/// Returns whether a model of this name would not compile.
pub fn is_reserved(model: &str) -> bool {
    names().chain(FILES.split_whitespace()).any(|reserved| reserved == model)
}
