//! What programs like this one were found to do wrong, and the tests that keep each out of this one.
//! A test that is renamed or taken away takes its row along, or this fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The symptom, and who would notice.
type Row = (&'static str, &'static [&'static str]);

const SERVERS: &[Row] = &[
    ("one that cannot start is tried for ever", &["a_server_that_exits_is_given_up_with_its_reason_said_once"]),
    ("tool names that no provider takes", &["names_are_mapped_and_the_server_gets_its_own"]),
    ("two names become one", &["colliding_names_stay_callable_and_repeats_are_kept_once"]),
    ("one name on two servers", &["one_name_on_two_servers_gives_the_same_two_names_after_a_restart"]),
    ("an odd schema takes all tools along", &["a_bad_schema_costs_one_tool_at_most", "one_bad_tool_costs_only_itself"]),
    ("unknown and null types", &["unknown_and_null_types_are_unconstrained"]),
    ("pages without an end", &["all_pages_are_read_and_an_endless_list_ends"]),
    (
        "a changed list is not seen",
        &["a_changed_list_is_read_again_once", "a_list_that_changes_during_a_call_is_shown_before_the_next_request"],
    ),
    (
        "a long call dies though it tells its progress",
        &[
            "progress_keeps_a_call_alive_and_is_passed_on",
            "a_silent_call_ends_and_a_busy_one_ends_at_the_cap_with_both_numbers",
        ],
    ),
    ("an interrupt ends the server", &["a_stopped_call_is_cancelled_at_the_server_which_stays"]),
    (
        "a crash needs a restart, or a call runs twice",
        &["a_crash_loses_the_call_and_the_server_comes_back_without_a_replay"],
    ),
    (
        "a session that the server forgot",
        &["a_forgotten_session_is_opened_again_and_the_call_is_reported_not_replayed"],
    ),
    (
        "one that fails ends the program",
        &[
            "a_server_that_does_not_start_does_not_stop_the_run",
            "each_server_that_does_not_start_is_named_and_all_others_work",
        ],
    ),
    (
        "variables arrive as they were written",
        &[
            "variables_are_filled_in_everywhere_and_secrets_are_never_shown",
            "a_variable_that_is_not_set_disables_that_server_and_names_the_field",
        ],
    ),
    (
        "images as text",
        &["media_are_media_and_never_text", "images_become_a_note_for_a_model_without_eyes_and_never_text"],
    ),
    ("failed, without a reason", &["a_server_that_exits_is_given_up_with_its_reason_said_once"]),
    ("arguments within the command", &["arguments_typed_into_command_get_a_hint"]),
    (
        "a sign-in that blocks",
        &[
            "a_wanted_sign_in_is_a_state_of_its_own_and_blocks_nothing",
            "a_sign_in_that_runs_out_during_a_session_is_told",
        ],
    ),
    ("one cause, ten warnings", &["servers_down_for_one_cause_give_one_notice"]),
    (
        "floods, deaths, lies about lengths",
        &[
            "each_call_that_goes_wrong_says_how_and_the_next_one_works",
            "a_flood_on_the_error_output_does_not_block_and_its_end_is_kept",
        ],
    ),
];

const SURFACE: &[Row] = &[
    ("absent without a reason", &["every_absent_tool_has_a_reason"]),
    ("a cache mark on what changes", &["there_are_four_marks_however_long_the_session_and_none_on_a_dynamic_tool"]),
    ("definitions fill the window", &["two_hundred_tools_state_their_cost_and_a_filter_states_itself"]),
    ("names of the past that are refused now", &["stored_names_that_providers_refuse_are_changed_on_replay"]),
    ("a search that finds nothing without the encoder", &["without_vectors_discovery_compares_words_and_says_so"]),
];

const SKILLS: &[Row] = &[
    ("byte order marks, spaces, numbers", &["an_odd_header_is_no_reason_to_lose_a_skill"]),
    ("carriage returns", &["a_byte_order_mark_and_carriage_returns_change_nothing"]),
    ("folded and literal texts", &["texts_as_found_in_the_wild"]),
    ("the same warning again and again", &["a_skill_without_name_or_description_is_rejected_once_with_its_place"]),
    ("links not followed, or out of the folder", &["links_are_followed_inside_the_root_only"]),
    ("one name twice", &["one_name_twice_is_listed_twice_with_the_rule"]),
    ("a level deeper", &["a_level_deeper_is_found_and_two_are_named"]),
    ("descriptions over the budget", &["descriptions_are_shortened_fairly"]),
];

const SCREEN: &[Row] = &[
    ("the caret under wide characters", &["wide_characters_are_edited_whole_and_the_caret_stays_under_them"]),
    ("the cursor is elsewhere", &["a_message_is_sent_streamed_and_the_cursor_stays_at_the_caret"]),
    ("a burst of keys submits each line", &["a_burst_of_keys_is_one_draft_and_a_paste_shows_its_controls"]),
    ("a paste and an enter", &["a_paste_and_an_enter_at_once_submit_once"]),
    ("a large paste", &["a_paste_of_a_megabyte_is_folded_sent_and_kept_whole", "a_megabyte_pastes_in_no_time"]),
    ("a paste that ends itself", &["a_paste_that_carries_the_end_mark_stays_one_paste"]),
    ("two escapes in one read", &["two_escapes_in_one_read_are_two_presses"]),
    ("escape works in some states only", &["esc_interrupts_in_every_state_of_a_turn_and_from_every_pane"]),
    ("a child lives on after an interrupt", &["esc_stops_a_stream_a_tool_and_a_wait"]),
    ("ctrl-z leaves the terminal as it is", &["ctrl_z_gives_the_terminal_back_and_fg_draws_all"]),
    ("ghosts after a resize", &["a_storm_of_resizes_while_a_model_streams_ends_in_one_clean_frame"]),
    ("a very large terminal", &["any_size_is_drawn_whole"]),
    ("no way back in the transcript", &["the_whole_transcript_opens_from_anywhere"]),
    (
        "colours that the terminal lacks",
        &["colours_come_down_to_what_the_terminal_shows", "colours_by_the_environment"],
    ),
    ("a stream of many pieces", &["a_flood_of_pieces_becomes_few_events_and_every_letter_arrives"]),
    ("carriage returns in output", &["carriage_returns_show_their_last_state"]),
    ("output cut inside a character", &["progress_lines_split_characters_and_binary_are_told_apart"]),
    ("binary output", &["binary_text_is_told_with_its_size_and_readable_parts"]),
    ("no newline key", &["every_newline_key_begins_a_line"]),
];

const TURNS: &[Row] = &[
    ("an interrupt begins another turn", &["while_tools_run_all_are_cancelled_and_no_turn_begins"]),
    (
        "one failure cancels its siblings",
        &[
            "unknown_tools_and_broken_arguments_are_refused_and_the_others_run",
            "a_call_against_the_persons_words_is_an_error_and_its_siblings_run",
        ],
    ),
    ("keep-alives are errors", &["keep_alives_are_seen_as_life"]),
    (
        "chunks, line ends, odd deltas of calls",
        &["where_a_stream_is_cut_into_chunks_changes_nothing", "every_stream_gives_exactly_what_it_means"],
    ),
    ("an error inside a good status", &["an_error_object_inside_a_good_status_is_shown_as_it_is"]),
    ("an overload fails the turn", &["an_overload_is_waited_out_and_nothing_is_said_twice"]),
    (
        "a turn without reasoning poisons the rest",
        &["a_tool_message_without_reasoning_gets_an_empty_carrier_where_one_is_demanded"],
    ),
    ("more than four cache marks", &["a_gateway_to_anthropic_gets_at_most_four_marks"]),
    (
        "a server that cuts the prompt",
        &["ollama_answers_and_gets_a_context_that_fits", "a_server_that_cuts_the_request_is_said_once_with_the_fix"],
    ),
    ("a call written as text", &["a_call_written_as_text_gets_one_nudge_and_is_never_called_done"]),
    ("the same call for ever", &["the_same_round_again_and_again_is_told_and_then_ended"]),
    ("one sentence for minutes", &["a_reply_that_repeats_itself_is_cut_in_the_stream"]),
    ("broken arguments are not counted", &["broken_arguments_over_and_over_end_the_turn"]),
    ("a check that is not there", &["a_missing_command_is_named_and_does_not_send_back"]),
    ("denied, and exit code 0", &["exit_codes_are_honest_in_both_formats"]),
];

const SESSIONS: &[Row] = &[
    ("ids that repeat", &["a_dangling_call_of_a_later_turn_does_not_take_the_earlier_result"]),
    ("finished calls are lost", &["a_kill_in_the_middle_of_a_tool_keeps_the_call_before_it"]),
    (
        "a full disk",
        &[
            "a_full_disk_is_told_the_session_goes_on_and_catches_up",
            "a_full_disk_is_rolled_back_said_once_and_caught_up_with_later",
        ],
    ),
    ("a read-only data root", &["a_data_root_that_takes_nothing_is_told_and_the_session_goes_on"]),
    ("the limit of a file's size", &["a_limit_of_a_files_size_is_told_and_the_session_goes_on"]),
    ("a damaged line cuts the rest", &["damaged_lines_are_skipped_counted_and_named"]),
    ("odd line ends within a record", &["what_is_written_is_read_back_in_order"]),
    ("a damaged file stops the start", &["each_bad_part_is_named_and_the_run_works"]),
    ("one giant file hangs the start", &["giant_and_damaged_journals_do_not_stop_the_list"]),
    ("a large session runs out of memory", &["a_file_without_line_ends_is_read_in_constant_memory"]),
    ("the journal grows with every piece", &["deltas_are_merged_and_vanish_when_the_message_is_complete"]),
    ("two write one session", &["the_second_of_two_processes_only_reads_and_a_killed_one_holds_nothing"]),
    (
        "a clock that goes back",
        &[
            "a_clock_that_goes_back_keeps_nothing_from_the_disk",
            "a_clock_that_goes_back_is_told_once_and_the_session_goes_on",
        ],
    ),
    (
        "a kill loses what was shown, or runs it twice",
        &["a_dozen_kills_lose_nothing_that_was_said_and_run_nothing_twice"],
    ),
];

const SANDBOX: &[Row] = &[
    (
        "no Landlock, and no diagnosis",
        &[
            "each_answer_of_the_kernel_has_its_words",
            "a_run_without_a_person_is_refused_with_the_reason",
            "a_person_is_asked_in_the_workbench_and_nothing_starts_before_the_answer",
        ],
    ),
    (
        "what was reached is not shown",
        &["the_level_stands_in_the_header", "the_header_tells_what_the_sandbox_really_holds"],
    ),
    ("another folder after a switch", &["another_session_is_told_what_the_process_is_held_to"]),
    ("configured folders are ignored", &["more_folders_are_opened_by_name_and_a_missing_one_is_told"]),
    ("no commit from a linked work tree", &["a_linked_work_tree_commits_and_cannot_plant_a_hook"]),
    ("a planted hook runs later", &["a_hook_that_is_planted_inside_is_told", "only_what_runs_something_is_told"]),
    ("temporary files, caches, devices", &["what_people_do_all_day_works"]),
    (
        "a denial without a reason",
        &[
            "writing_stays_inside_and_a_denial_is_explained",
            "a_server_that_may_not_write_is_told_why_and_how_to_allow_it",
            "only_a_failure_is_explained_and_only_once",
        ],
    ),
    (
        "something lives on",
        &[
            "nothing_outlives_kill_9_whatever_it_does",
            "signals_in_the_middle_of_a_tool_leave_nothing_behind",
            "a_panic_gives_the_terminal_back_and_leaves_no_child",
            "a_terminal_that_goes_away_ends_it",
        ],
    ),
    ("ended children stay", &["no_ended_child_is_left_while_it_runs"]),
    ("open files are handed on", &["files_that_were_left_open_do_not_reach_a_child"]),
];

const SECURITY: &[Row] = &[
    (
        "a project stands in for what the person has",
        &["a_project_cannot_stand_in_for_what_the_person_has", "a_project_sets_what_cannot_execute_and_nothing_else"],
    ),
    ("without a person everything is trusted", &["nothing_is_asked_and_what_is_not_trusted_does_not_run"]),
    (
        "swapped between look and run",
        &["a_file_that_is_swapped_at_any_moment_never_runs", "what_runs_is_a_copy_of_what_was_accepted"],
    ),
    (
        "a name speaks to the terminal",
        &[
            "nothing_foreign_steers_the_workbench",
            "nothing_foreign_steers_a_terminal_without_a_screen",
            "a_name_cannot_speak_to_the_terminal",
        ],
    ),
    (
        "text that nobody sees",
        &["hidden_text_is_taken_out_with_a_warning", "characters_that_nobody_sees_do_not_reach_a_model"],
    ),
    (
        "a description that changes",
        &[
            "a_tool_that_describes_itself_otherwise_later_is_shown_with_both_descriptions",
            "a_change_since_the_last_session_is_told_once_with_both_descriptions",
        ],
    ),
    (
        "others read what is kept",
        &[
            "whatever_the_umask_only_the_owner_reads_what_is_kept",
            "files_with_secrets_are_named_when_others_can_reach_them",
        ],
    ),
    (
        "out of its folder",
        &[
            "names_that_lead_out_refuse_it_whole",
            "links_that_lead_out_refuse_it_whole",
            "nothing_is_written_through_a_link",
            "no_link_leads_out_of_a_plugin",
        ],
    ),
    (
        "a result gives orders",
        &[
            "what_a_result_says_to_the_model_stays_data",
            "a_page_that_poses_as_everything_changes_nothing",
            "a_page_permits_nothing",
        ],
    ),
    ("a secret is read and sent", &["a_turn_that_read_a_secret_and_reaches_outside_is_told"]),
    (
        "a secret is shown or kept",
        &["a_secret_stands_on_no_screen_in_no_file_and_in_no_output", "base64_around_a_value_does_not_hide_it"],
    ),
    ("checks that do nothing are relied on", &["what_guards_elsewhere_is_named"]),
];

const TAPS: &[Row] = &[
    ("git asks for a password", &["a_password_is_never_asked_for"]),
    (
        "a broken clone stays",
        &["a_failed_add_leaves_nothing_and_can_be_tried_again", "a_clone_that_was_killed_is_swept_up_and_retried"],
    ),
    ("no start without a network", &["without_the_host_what_is_there_goes_on_and_tells_its_age"]),
];

const CONFIGURATION: &[Row] = &[
    ("an unknown key", &["an_unknown_key_costs_only_itself"]),
    ("a misspelt guard", &["a_guard_that_cannot_be_read_counts_as_on_and_is_said_loudly"]),
    ("one bad role", &["one_malformed_role_among_three_is_named_and_the_others_load"]),
    ("a broken file shows nothing", &["each_bad_line_of_the_configuration_is_named_in_the_workbench_and_it_works"]),
];

fn tests_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            tests_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut marked = false;
            for line in text.lines().map(str::trim) {
                let name = line.split_once("fn ").and_then(|(_, rest)| rest.split_once('('));
                match name {
                    Some((name, _)) if marked => {
                        found.insert(name.to_owned());
                        marked = false;
                    }
                    _ => marked = line.starts_with("#[") && (marked || line.contains("test")),
                }
            }
        }
    }
}

#[test]
fn each_known_fault_has_a_test_that_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut there = BTreeSet::new();
    for folder in ["src", "tests/it"] {
        tests_in(&root.join(folder), &mut there);
    }
    let tables = [SERVERS, SURFACE, SKILLS, SCREEN, TURNS, SESSIONS, SANDBOX, SECURITY, TAPS, CONFIGURATION];
    let rows = tables.iter().flat_map(|rows| rows.iter());
    let lost: Vec<String> = rows
        .flat_map(|(what, tests)| tests.iter().map(move |test| (what, test)))
        .filter(|(_, test)| !there.contains(**test))
        .map(|(what, test)| format!("{what}: no test {test}"))
        .collect();
    assert!(lost.is_empty(), "{}", lost.join("\n"));
}
