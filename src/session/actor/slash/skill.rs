use super::layout::table;
use crate::proto::SkillCause;
use crate::session::actor::{Actor, runtime, skills};
use crate::session::rules::skill_list::{self, Asked, Listed, PERSON_PAGE};
use crate::text;

/// Columns of a description.
const DESCRIPTION: usize = 60;

impl Actor {
    pub(super) async fn slash_skill(&mut self, words: &str) -> String {
        let Some(offers) = self.setup.offers.clone() else { return "There are no skills in this session.".to_owned() };
        let active = self.active_skills();
        let listing =
            tokio::task::spawn_blocking(move || (runtime::listed(&offers, &active), offers.catalogue())).await;
        let Ok((listed, catalogue)) = listing else { return "The skills could not be read.".to_owned() };
        match Asked::parse(words) {
            Asked::Page(number) => page(&listed, number),
            Asked::Matching(pattern) => match skill_list::matching(listed, &pattern) {
                Ok(found) if found.is_empty() => format!("No skill matches {pattern}."),
                Ok(found) => rows(&found),
                Err(error) => format!("{error}."),
            },
            Asked::Toggle(name) => {
                if listed.iter().any(|skill| skill.name == name && skill.active) || self.active_skills().contains(&name)
                {
                    return self.forget_skill(&name);
                }
                let Some(skill) = catalogue.skill(&name).cloned() else {
                    return skills::missing(&catalogue, &name, &listed);
                };
                let read = tokio::task::spawn_blocking(move || skills::read(skill)).await;
                let read = read.unwrap_or_else(|error| Err(error.to_string()));
                self.activate(read, SkillCause::Person)
                    .unwrap_or_else(|why| format!("The skill {name} stays off: {why}."))
            }
        }
    }
}

fn page(listed: &[Listed], number: usize) -> String {
    if listed.is_empty() {
        return "There are no skills: no tap, folder or plugin has one.".to_owned();
    }
    match skill_list::page(listed, number, PERSON_PAGE) {
        Some((shown, 1)) => rows(shown),
        Some((shown, pages)) => format!("{}\n\npage {number} of {pages}, /skill N for another", rows(shown)),
        None => {
            let pages = listed.len().div_ceil(PERSON_PAGE);
            format!("There is no page {number}; the last is {pages}.")
        }
    }
}

fn rows(skills: &[Listed]) -> String {
    let row = |skill: &Listed| {
        let mark = if skill.active { "▸" } else { " " };
        let description = text::sanitize_line(&skill.description).into_owned();
        let description = text::truncate(&description, DESCRIPTION).into_owned();
        vec![mark.to_owned(), skill.name.clone(), description, skill.source.clone()]
    };
    table(&skills.iter().map(row).collect::<Vec<_>>())
}
