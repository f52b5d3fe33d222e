//! gen-rotate
