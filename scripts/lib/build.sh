# Configuring and building with CMake's presets.
# shellcheck shell=bash

# build_preset LOG PRESET [TARGET…]: builds the targets, or everything. The programs are in
# build/PRESET/bin.
build_preset() {
  local log=$1 preset=$2 folder=$root/build/$2
  shift 2
  # In a checkout that was moved or copied the cache names the old path.
  if [[ -e $folder/CMakeCache.txt ]] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf -- "$folder"
  fi
  if [[ ! -e $folder/build.ninja || $root/CMakePresets.json -nt $folder/CMakeCache.txt ]]; then
    run_step "$log" "Configuring ($preset)" cmake -S "$root" -B "$folder" --preset "$preset"
  fi
  run_step "$log" "Building ($preset)" cmake --build "$folder" ${1+--target} "$@"
}
