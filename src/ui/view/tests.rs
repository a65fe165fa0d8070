use std::sync::Arc;

use ratatui::layout::Rect;

use super::*;
use crate::proto::*;
use crate::ui::keys;
use crate::ui::state::{Item, Layer, Listing, Picker, Question, ScrollBy, Search, Settings};
use crate::ui::theme::Depth;

mod approve;
mod compose;
mod fixture;
mod handed;
mod links;
mod offer;
mod overlays;
mod places;
mod rewind;
mod screens;
mod storm;
mod supervisor;
mod surface;
mod terminals;
mod tour;
mod words;
