//! Each layer may use only the layers above it.
