//! The only unsafe code of the crate: mapping a file, loading ONNX Runtime, products with wider
//! registers, giving memory back.

#![allow(unsafe_code, reason = "none of the four can be done without")]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::path::Path;

use memmap2::Mmap;

/// A file of ours, mapped read-only.
pub struct MappedFile {
    map: Mmap,
}

impl MappedFile {
    /// The file must be one that is only ever appended to or replaced by renaming, as those under our
    /// cache folder are.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // SAFETY: the files mapped here belong to this program, which never truncates nor overwrites
        // one: it appends behind what is mapped, or renames another file over it, and the mapping
        // then keeps the old one.
        let map = unsafe { Mmap::map(&file)? };
        Ok(Self { map })
    }

    pub fn bytes(&self) -> &[u8] {
        &self.map
    }

    /// `count` floats from byte `offset` on, as this machine writes them.
    pub fn floats(&self, offset: usize, count: usize) -> Option<&[f32]> {
        floats(self.map.get(offset..)?.get(..count.checked_mul(4)?)?)
    }
}

/// `None` when the bytes are not aligned for floats.
pub fn floats(bytes: &[u8]) -> Option<&[f32]> {
    // SAFETY: every pattern of four bytes is an f32.
    let (before, numbers, after) = unsafe { bytes.align_to::<f32>() };
    (before.is_empty() && after.is_empty()).then_some(numbers)
}

/// Sum of products. The order of the additions is fixed, so that every machine gets the same bits,
/// whatever its registers' width.
#[cfg(not(target_arch = "x86_64"))]
pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    lanes(left, right)
}

/// Sum of products. The order of the additions is fixed, so that every machine gets the same bits,
/// whatever its registers' width.
#[cfg(target_arch = "x86_64")]
pub fn dot(left: &[f32], right: &[f32]) -> f32 {
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the processor was just asked.
        return unsafe { wide(left, right) };
    }
    lanes(left, right)
}

/// The sums of [`lanes`] in four registers, added up in the same order. Written out, because the
/// compiler leaves half of each register empty.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn wide(left: &[f32], right: &[f32]) -> f32 {
    use std::arch::x86_64::{
        _mm_add_ps, _mm_add_ss, _mm_cvtss_f32, _mm_movehl_ps, _mm_shuffle_ps, _mm256_add_ps, _mm256_castps256_ps128,
        _mm256_extractf128_ps, _mm256_loadu_ps, _mm256_mul_ps, _mm256_setzero_ps,
    };
    let (left_blocks, left_rest) = left.as_chunks::<LANES>();
    let (right_blocks, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [_mm256_setzero_ps(); LANES / 8];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        let (left, right) = (left.as_chunks::<8>().0, right.as_chunks::<8>().0);
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            // SAFETY: both point to eight floats; the instruction asks for no alignment.
            let (left, right) = unsafe { (_mm256_loadu_ps(left.as_ptr()), _mm256_loadu_ps(right.as_ptr())) };
            *sum = _mm256_add_ps(*sum, _mm256_mul_ps(left, right));
        }
    }
    let eight = _mm256_add_ps(_mm256_add_ps(sums[0], sums[2]), _mm256_add_ps(sums[1], sums[3]));
    let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
    let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    let one = _mm_add_ss(two, _mm_shuffle_ps::<1>(two, two));
    _mm_cvtss_f32(one) + rest(left_rest, right_rest)
}

/// Sums that are kept beside each other.
const LANES: usize = 32;

fn rest(left: &[f32], right: &[f32]) -> f32 {
    left.iter().zip(right).map(|(left, right)| left * right).sum()
}

fn lanes(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0_f32; LANES];
    let (left_blocks, left_rest) = left.as_chunks::<LANES>();
    let (right_blocks, right_rest) = right.as_chunks::<LANES>();
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    let mut width = LANES;
    while width > 1 {
        width /= 2;
        for lane in 0..width {
            sums[lane] += sums[lane + width];
        }
    }
    sums[0] + rest(left_rest, right_rest)
}

/// ONNX Runtime's function table and its version, from a shared library.
pub fn load_runtime(library: &Path) -> Result<(ort::sys::OrtApi, String), String> {
    // SAFETY: loading runs the library's initialisers. Only files named as ONNX Runtime are given
    // here, that the person named or installed.
    let loaded = unsafe { libloading::Library::new(library) }.map_err(|error| {
        let cause = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
        format!("it cannot be loaded: {cause}")
    })?;
    // SAFETY: ONNX Runtime has declared this function so since its first version.
    let entry: libloading::Symbol<'_, unsafe extern "C" fn() -> *const ort::sys::OrtApiBase> =
        unsafe { loaded.get(b"OrtGetApiBase") }.map_err(|_| "it does not export `OrtGetApiBase`".to_owned())?;
    // SAFETY: it takes nothing and returns a table that lives as long as the library, or null.
    let base = unsafe { entry().as_ref() }.ok_or_else(|| "it has no table of functions".to_owned())?;
    // SAFETY: the function returns a string with a zero at the end that lives as long as the library.
    let version = unsafe { CStr::from_ptr((base.GetVersionString)()) }.to_string_lossy().into_owned();
    require_version(&version)?;
    // SAFETY: asking for a version is always allowed; a library that does not have it answers null.
    let api = unsafe { (base.GetApi)(ort::sys::ORT_API_VERSION) };
    if api.is_null() {
        return Err(too_old(&version));
    }
    // SAFETY: a table of function pointers, that is as valid in a copy. The library stays loaded for
    // as long as the process runs: it is forgotten below.
    let api = unsafe { std::ptr::read(api) };
    std::mem::forget(loaded);
    Ok((api, version))
}

/// Asking a library for what it does not have makes it write to the terminal, so its version is read
/// first.
fn require_version(version: &str) -> Result<(), String> {
    let mut numbers = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (major, minor) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    if (major, minor) >= (1, ort::sys::ORT_API_VERSION) { Ok(()) } else { Err(too_old(version)) }
}

fn too_old(version: &str) -> String {
    format!("version {version} is too old: 1.{} or later is needed", ort::sys::ORT_API_VERSION)
}

/// Gives back the memory of bytes in the program's file, which is read again if they are; says whether
/// it could.
#[cfg(target_os = "linux")]
pub fn let_go(bytes: &'static [u8]) -> bool {
    let Ok(maps) = std::fs::read_to_string("/proc/self/smaps") else { return false };
    let Some(pages) = droppable(&maps, bytes.as_ptr_range()) else { return false };
    let start = bytes.as_ptr().with_addr(pages.start).cast_mut().cast::<libc::c_void>();
    // SAFETY: the pages are whole ones of one private mapping of a file, which is not writable and of
    // which nothing was ever written to: `droppable` has seen that. Dropping such pages changes no byte,
    // for whoever reads them next gets them from the file again.
    unsafe { libc::madvise(start, pages.len(), libc::MADV_DONTNEED) == 0 }
}

#[cfg(not(target_os = "linux"))]
pub fn let_go(_: &'static [u8]) -> bool {
    false
}

/// The whole pages inside of `bytes`, if they are a file's as it is. `maps` is of the form of
/// `/proc/self/smaps`.
#[cfg(target_os = "linux")]
fn droppable(maps: &str, bytes: std::ops::Range<*const u8>) -> Option<std::ops::Range<usize>> {
    let (start, end) = (bytes.start.addr(), bytes.end.addr());
    let mut lines = maps.lines().skip_while(|line| {
        let range = line.split(' ').next().and_then(|range| range.split_once('-'));
        let number = |text| usize::from_str_radix(text, 16).ok();
        let range = range.and_then(|(from, to)| Some((number(from)?, number(to)?)));
        !range.is_some_and(|(from, to)| from <= start && end <= to)
    });
    let mut head = lines.next()?.split_ascii_whitespace().skip(1);
    let (access, inode) = (head.next()?, head.nth(2)?);
    if access.contains(['w', 's']) || inode.parse::<u64>().ok()? == 0 {
        return None;
    }
    let (mut page, mut written) = (None, None);
    for line in lines.take_while(|line| line.split(' ').next().is_some_and(|key| key.ends_with(':'))) {
        let (key, value) = line.split_once(':')?;
        let kibibytes = || value.trim().strip_suffix(" kB").and_then(|number| number.trim().parse::<usize>().ok());
        match key {
            "KernelPageSize" => page = kibibytes().map(|size| size * 1024),
            "Anonymous" => written = kibibytes(),
            _ => {}
        }
    }
    let page = page.filter(|size| size.is_power_of_two() && written == Some(0))?;
    let (first, last) = (start.checked_next_multiple_of(page)?, end / page * page);
    (first < last).then_some(first..last)
}

/// Gives back what the allocator holds on to after much was freed at once.
pub fn trim() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it touches only what is free, under the allocator's own locks.
    unsafe {
        libc::malloc_trim(0);
    }
}

#[cfg(test)]
mod tests;
