use std::fs;

use super::*;

fn files(project: &str, person: &str) -> (tempfile::TempDir, Paths) {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("data"), None);
    fs::create_dir_all(&paths.config_folder).unwrap();
    fs::write(folder.path().join(".env"), project).unwrap();
    fs::write(&paths.env_file, person).unwrap();
    (folder, paths)
}

#[test]
fn an_exported_variable_wins_and_the_project_comes_before_the_person() {
    let (folder, paths) = files("A=project\nB=project\nC=project\n", "A=person\nB=person\nC=person\nD=person\n");
    let (env, problems) = Env::from_pairs([("A", "exported"), ("B", "")]).with_files(&paths, folder.path());
    assert_eq!(problems, vec![]);
    assert_eq!(env.get("A"), Some("exported"));
    assert_eq!(env.get("B"), None, "exported but empty stays empty, and counts as unset");
    assert_eq!(env.get("C"), Some("project"));
    assert_eq!(env.get("D"), Some("person"));
    let file = folder.path().join(".env").display().to_string();
    assert_eq!(env.origin("C"), Some(&EnvOrigin::File { file, line: 3 }));
    assert_eq!(env.from_files().map(|(name, _)| name).collect::<Vec<_>>(), ["D"]);
}

#[test]
fn a_project_may_not_send_the_persons_keys_or_programs_elsewhere() {
    let project = "OPENAI_BASE_URL=http://evil\nOCTOHUB_API_URL=http://evil\nLD_PRELOAD=/x.so\nHTTPS_PROXY=http://evil\n\
                   OLLAMA_HOST=evil\nOCTOMIND_DATA_DIR=/x\nVITE_API_URL=http://localhost\nDB_HOST=db\n\
                   MINE_API_KEY=own-key-1\nMINE_BASE_URL=http://mine\n";
    let (folder, paths) = files(project, "OCTOHUB_API_KEY=hub-key-12345\n");
    let (env, problems) = Env::from_pairs([("OPENAI_API_KEY", "sk-exported")]).with_files(&paths, folder.path());
    for refused in
        ["OPENAI_BASE_URL", "OCTOHUB_API_URL", "LD_PRELOAD", "HTTPS_PROXY", "OLLAMA_HOST", "OCTOMIND_DATA_DIR"]
    {
        assert_eq!(env.get(refused), None, "{refused}");
        assert!(problems.iter().any(|problem| problem.message.contains(refused)), "{refused} is named");
    }
    assert_eq!(problems.len(), 6);
    assert_eq!(env.get("VITE_API_URL"), Some("http://localhost"), "no key of the person's goes there");
    assert_eq!(env.get("DB_HOST"), Some("db"));
    assert_eq!(env.get("MINE_BASE_URL"), Some("http://mine"), "it brings its own key");
}

#[test]
fn secrets_are_masked_longest_first_and_short_values_are_left_alone() {
    let env = Env::from_pairs([
        ("OPENAI_API_KEY", "sk-abcdefgh"),
        ("GITHUB_TOKEN", "sk-abcdefgh-and-more"),
        ("PIN_PASSWORD", "1234"),
        ("HOME", "/home/someone"),
    ]);
    let masked = env.mask_secrets("a sk-abcdefgh b sk-abcdefgh-and-more c 1234 /home/someone");
    assert_eq!(masked, "a [OPENAI_API_KEY masked] b [GITHUB_TOKEN masked] c 1234 /home/someone");
    assert!(matches!(env.mask_secrets("nothing here"), Cow::Borrowed(_)));
    let env =
        Env::from_pairs([("DATABASE_URL", "postgres://me:hunter2hunter2@db:5432/x?a=b@c"), ("SITE", "http://a.b/c")]);
    let short = Env::from_pairs([("MYDB_URL", "postgres://bob:hunt@h/db")]);
    assert_eq!(short.mask_secrets("psql postgres://bob:hunt@h/db"), "psql postgres://[MYDB_URL masked]@h/db");
    assert_eq!(env.mask_secrets("psql hunter2hunter2 at http://a.b/c"), "psql [DATABASE_URL masked] at http://a.b/c");
}

#[test]
fn names_of_secrets() {
    for secret in [
        "OPENAI_API_KEY",
        "AWS_SECRET_ACCESS_KEY",
        "DB_PASSWORD",
        "authorization",
        "X-Api-Key",
        "AUTH_TOKEN",
        "DB_PASS",
        "PGPASSWORD",
        "MYSECRET",
        "SESSION_COOKIE",
        "PRIVATEKEY",
        "STRIPE_SK",
        "MYSQL_PWD",
    ] {
        assert!(looks_secret(secret), "{secret}");
    }
    for plain in [
        "HOME",
        "KEYBOARD",
        "MONKEY",
        "TOKENIZER_PATH",
        "AUTHOR",
        "COMPAT",
        "SSH_AUTH_SOCK",
        "SSH_KEY_PATH",
        "PWD",
        "OLDPWD",
        "COMPASS",
        "BYPASS",
        "TASK",
        "DISK",
    ] {
        assert!(!looks_secret(plain), "{plain}");
    }
}

#[test]
fn a_folder_or_binary_in_place_of_the_file_is_a_problem_and_no_stop() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("data"), None);
    fs::create_dir_all(folder.path().join(".env")).unwrap();
    fs::create_dir_all(&paths.config_folder).unwrap();
    fs::write(&paths.env_file, b"A=1\n\xff\xfe").unwrap();
    let (env, problems) = Env::default().with_files(&paths, folder.path());
    assert_eq!(env.get("A"), None);
    assert_eq!(problems.len(), 2, "{problems:?}");
}

/// What a project's file sets may be an order to a program that a script or server runs.
#[test]
fn children_get_nothing_of_a_projects_file_by_itself() {
    let folder = tempfile::tempdir().unwrap();
    let paths = Paths::new(folder.path().join("data"), None);
    std::fs::create_dir_all(paths.env_file.parent().unwrap()).unwrap();
    std::fs::write(&paths.env_file, "PERL5OPT=-w\n").unwrap();
    let project = "RUBYOPT=-rx\nUV_INDEX_URL=http://x\nPS4=x\nSHELLOPTS=xtrace\nLESSOPEN=x\nSUDO_ASKPASS=x\n\
        CARGO_REGISTRY_CREDENTIAL_PROVIDER=x\nMY_SERVICE_TOKEN=t\nNPM_CONFIG_SCRIPT_SHELL_PASS=x\n";
    std::fs::write(folder.path().join(".env"), project).unwrap();
    let (env, _) = Env::default().with_files(&paths, folder.path());
    let given: Vec<&str> = env.from_files().map(|(name, _)| name).collect();
    assert_eq!(given, ["PERL5OPT"]);
    // What is named is filled in all the same.
    assert_eq!(env.get("UV_INDEX_URL"), Some("http://x"));
}
