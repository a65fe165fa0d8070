//! The octomind binary: everything is in the library.

fn main() -> std::process::ExitCode {
    octomind::cli::main()
}
