//! The one integration binary. Modules follow the layers of the library.

mod layering;
