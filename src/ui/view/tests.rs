use std::sync::Arc;

use ratatui::layout::Rect;

use super::*;
use crate::proto::*;
use crate::ui::keys;
use crate::ui::state::{Item, Layer, Listing, Picker, Question, ScrollBy, Search, Settings};
use crate::ui::theme::Depth;

mod fixture;
mod offer;
mod places;
mod screens;
mod supervisor;
mod surface;
mod words;
