use super::*;

fn paths(pairs: &[(&str, &str)]) -> Paths {
    Paths::from_env(&Env::from_pairs(pairs.iter().copied()))
}

#[test]
fn where_the_data_root_is() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("HOME", "/home/me")], "/home/me/.local/share/octomind"),
        (&[("HOME", "/home/me"), ("XDG_DATA_HOME", "/x")], "/x/octomind"),
        (&[("HOME", "/home/me"), ("XDG_DATA_HOME", "relative")], "/home/me/.local/share/octomind"),
        (&[("HOME", "/home/me"), ("XDG_DATA_HOME", "/x"), ("OCTOMIND_DATA_DIR", "/d")], "/d"),
        (&[("HOME", "/home/me"), ("OCTOMIND_DATA_DIR", "~/d")], "/home/me/d"),
        (&[("HOME", "/home/me"), ("OCTOMIND_DATA_DIR", "")], "/home/me/.local/share/octomind"),
    ];
    for (pairs, data) in cases {
        let paths = paths(pairs);
        assert_eq!(paths.data, Path::new(data), "{pairs:?}");
        assert_eq!(paths.config_file, Path::new(data).join("config/config.toml"));
        assert!(paths.reads_folder);
    }
}

#[test]
fn a_configuration_elsewhere_leaves_the_data_where_it_is_and_its_neighbours_alone() {
    let paths = paths(&[("HOME", "/home/me"), ("OCTOMIND_CONFIG_PATH", "/etc/octo.toml")]);
    assert_eq!(paths.config_file, Path::new("/etc/octo.toml"));
    assert_eq!(paths.sessions, Path::new("/home/me/.local/share/octomind/sessions"));
    assert_eq!(paths.env_file, Path::new("/home/me/.local/share/octomind/config/.env"));
    assert!(!paths.reads_folder);
}

#[test]
fn places_are_absolute_even_when_asked_for_relatively() {
    assert!(paths(&[("OCTOMIND_DATA_DIR", "here")]).sessions.is_absolute());
}
