use super::layout::table;
use crate::proto::SkillCause;
use crate::session::actor::{Actor, runtime, skills};
use crate::session::rules::skill_list::{self, Asked, Listed, PERSON_PAGE, Wish};
use crate::text;

/// Columns of what is said of a skill: with its name it is one line of the transcript.
const WORDS: usize = 30;

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
            Asked::One(name, wish) => {
                let active = self.active_skills().contains(&name);
                match (wish, active) {
                    (Wish::Other | Wish::Off, true) => return self.forget_skill(&name),
                    (Wish::Off, false) if catalogue.skill(&name).is_some() => {
                        return format!("The skill {name} is off already.");
                    }
                    (Wish::On | Wish::Other | Wish::Off, _) => {}
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
        Some((shown, pages)) => format!("{}\npage {number} of {pages}, /skill N for another", rows(shown)),
        None => {
            let pages = listed.len().div_ceil(PERSON_PAGE);
            format!("There is no page {number}; the last is {pages}.")
        }
    }
}

/// A line each, and how to switch them.
pub(in crate::session) fn rows(skills: &[Listed]) -> String {
    let row = |skill: &Listed| {
        let mark = if skill.active { "▸" } else { " " };
        let words = if skill.title.trim().is_empty() { &skill.description } else { &skill.title };
        let words = text::sanitize_line(words).into_owned();
        vec![format!("{mark} {}", skill.name), text::truncate(&words, WORDS).into_owned()]
    };
    let table = table(&skills.iter().map(row).collect::<Vec<_>>());
    let marked = if skills.iter().any(|skill| skill.active) { "▸ is active; " } else { "" };
    format!("{table}\n\n{marked}/skill NAME switches one on, and off again; f4 shows them whole")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_active_skill_stands_in_line_with_the_others() {
        let of = |name: &str, title: &str, active| {
            let description = "What it is good for, at some length, so that it has to be cut.".to_owned();
            let (name, title, source) = (name.to_owned(), title.to_owned(), "a/b".to_owned());
            Listed { name, title, description, source, active }
        };
        let text = rows(&[of("beta", "", true), of("a-longer-name", "A title", false)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines,
            [
                "▸ beta           What it is good for, at some …",
                "  a-longer-name  A title",
                "",
                "▸ is active; /skill NAME switches one on, and off again; f4 shows them whole",
            ]
        );
        assert!(!rows(&[of("beta", "", false)]).contains('▸'));
    }
}
