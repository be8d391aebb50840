//! A column of numbers that Python reads where it is.

use std::ffi::{c_int, c_void};
use std::ptr;

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

/// Numbers, row after row, as a read-only buffer of bytes: `numpy.frombuffer(column)` makes an array of them without a
/// copy, and keeps the column alive.
#[pyclass(frozen, module = "simulate._native")]
pub struct Column {
    values: Vec<f64>,
    /// The number of elements in a row.
    #[pyo3(get)]
    width: usize,
}

impl Column {
    pub fn new(values: Vec<f64>, width: usize) -> Column {
        Column { values, width }
    }

    pub fn vector(values: Vec<f64>) -> Column {
        Column::new(values, 1)
    }
}

#[pymethods]
impl Column {
    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// # Safety
    /// Python gives a pointer to a `Py_buffer` that it owns, and calls `__releasebuffer__` for it.
    #[allow(unsafe_code)]
    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no view"));
        }
        if flags & ffi::PyBUF_WRITABLE == ffi::PyBUF_WRITABLE {
            return Err(PyBufferError::new_err("results are read-only; copy them with .copy()"));
        }
        let (data, bytes) = {
            let values = &slf.get().values;
            (values.as_ptr(), std::mem::size_of_val(&values[..]))
        };
        // SAFETY: the pointer is to a view that Python has made for this call. The numbers do not move, since the class is
        // frozen, and live as long as the object, which the view holds.
        unsafe {
            let view = &mut *view;
            view.obj = slf.into_any().into_ptr();
            view.buf = data as *mut c_void;
            view.len = bytes as ffi::Py_ssize_t;
            view.readonly = 1;
            view.itemsize = 1;
            view.format =
                if flags & ffi::PyBUF_FORMAT == ffi::PyBUF_FORMAT { c"B".as_ptr().cast_mut() } else { ptr::null_mut() };
            view.ndim = 1;
            view.shape = if flags & ffi::PyBUF_ND == ffi::PyBUF_ND { &mut view.len } else { ptr::null_mut() };
            view.strides =
                if flags & ffi::PyBUF_STRIDES == ffi::PyBUF_STRIDES { &mut view.itemsize } else { ptr::null_mut() };
            view.suboffsets = ptr::null_mut();
            view.internal = ptr::null_mut();
        }
        Ok(())
    }
}
