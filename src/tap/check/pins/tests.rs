use super::*;

fn names(line: &[&str]) -> Vec<String> {
    loose(line).into_iter().map(|(package, _)| package.to_owned()).collect()
}

#[test]
fn exact_and_loose_versions() {
    let exact: &[&[&str]] = &[
        &["npx", "-y", "@org/pkg@1.2.3"],
        &["npx", "--yes", "pkg@1.2.3-beta.1", "--flag", "loose"],
        &["/usr/bin/npx", "-p", "pkg@1.0.0", "binary"],
        &["npx", "--package=pkg@1.0.0", "binary"],
        &["npm", "exec", "--", "pkg@1.0.0"],
        &["uvx", "pkg==1.2"],
        &["uvx", "--python", "3.12", "pkg[extra]==2026.1.1"],
        &["uvx", "--from", "pkg==1.0", "tool", "arg"],
        &["uvx", "--with", "mcp<2", "pkg@1.0.1"],
        &["uvx", "--from", "git+https://example.org/a@0123abcd", "tool"],
        &["npx", "./local"],
        &["npx", "{{ENV:PACKAGE}}"],
        &["node", "server.js"],
        &["docker", "run", "image"],
        &["npx"],
        &[],
        &["sh", "-c", "cd /x && exec npx -y pkg@1.2.3"],
        &["sh", "-c", "npm i --prefix \"$d\" --silent pkg@1.1.0 >/dev/null 2>&1; node x"],
        &["bash", "-c", "A=1 B='x y' uvx --with 'mcp<2' pkg==1.0 \"$ROOT\""],
    ];
    for line in exact {
        assert_eq!(names(line), Vec::<String>::new(), "{line:?}");
    }
    let loose: &[(&[&str], &str)] = &[
        (&["npx", "-y", "pkg"], "pkg"),
        (&["npx", "@org/pkg"], "@org/pkg"),
        (&["npx", "@org/pkg@latest"], "@org/pkg@latest"),
        (&["npx", "pkg@^1.2.3"], "pkg@^1.2.3"),
        (&["npx", "pkg@1.2"], "pkg@1.2"),
        (&["npx", "-p", "pkg", "binary"], "pkg"),
        (&["bunx", "pkg"], "pkg"),
        (&["pnpm", "dlx", "pkg"], "pkg"),
        (&["uvx", "pkg"], "pkg"),
        (&["uvx", "pkg>=1.0"], "pkg>=1.0"),
        (&["uvx", "pkg==1.*"], "pkg==1.*"),
        (&["uvx", "pkg@latest"], "pkg@latest"),
        (&["uvx", "--with", "mcp", "pkg==1.0"], "mcp"),
        (&["uv", "tool", "run", "pkg"], "pkg"),
        (&["pipx", "run", "--spec", "pkg", "tool"], "pkg"),
        (&["env", "A=1", "npx", "pkg"], "pkg"),
        (&["uvx", "--from", "git+https://example.org/a@main", "tool"], "git+https://example.org/a@main"),
        (&["sh", "-c", "if true; then A=1 exec npx -y pkg; fi"], "pkg"),
        (&["bash", "-lc", "-c", "uvx 'pkg'"], "pkg"),
        (&["sh", "-c", "x || pip install --target d pkg"], "pkg"),
    ];
    for (line, package) in loose {
        assert_eq!(names(line), [*package], "{line:?}");
    }
}

#[test]
fn any_script_can_be_looked_at() {
    for script in ["", "'", "\"unclosed npx", "a 'b", ";;&&||", "é 'ü' npx ä", "npx", "sh -c"] {
        let _ = names(&["sh", "-c", script]);
    }
    assert_eq!(names(&["sh", "-c", "'x' npx ä"]), Vec::<String>::new());
}
