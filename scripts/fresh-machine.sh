#!/usr/bin/env bash
# Does what somebody with a new machine does: README's commands word for word, `npm ci`, and the packed package
# installed with -g. Nothing of this machine helps: the home folder is empty but for npm's cache, the environment is
# cleared, the files are those that are committed. Only the registry of npm packages is asked.
#
#   scripts/fresh-machine.sh                       with the Node that runs here, and its npm
#   scripts/fresh-machine.sh 20.19 22 24 26        with the latest of each, fetched as npm packages, headers included
#   scripts/fresh-machine.sh 26:12                 with that Node and npm 12, not the npm that comes with it
#   scripts/fresh-machine.sh --test [NODE[:NPM]…]  and every test, shown as they run
#
# One line for each step, and a closing line; with --test the tests' own comes last. It ends at the first step that
# fails, with the end of what that step printed, and exits 1.
set -euo pipefail

checkout=$(cd "$(dirname "$0")/.." && pwd -P)
work=$(mktemp -d "${TMPDIR:-/tmp}/fresh-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

main() {
  local with_tests=false nodes=() machines='' tests=''
  for argument in "$@"; do
    case $argument in
      --test) with_tests=true ;;
      [0-9]*) nodes+=("$argument") ;;
      *) usage ;;
    esac
  done
  [ ${#nodes[@]} -gt 0 ] || nodes=(here)
  certificates=$(certificates_of_this_machine)
  mkdir "$work/npm-cache"
  committed_files
  for node in "${nodes[@]}"; do
    place=$work/machine machine=$node
    mkdir -p "$place/home"
    ln -s "$work/npm-cache" "$place/home/.npm"
    if [ "$node" = here ]; then
      programs=$(dirname "$(node -p process.execPath)"):$(dirname "$(command -v npm)")
    else
      fetch_node "$node"
    fi
    machine="Node $(bare . 'node -p process.versions.node') with npm $(bare . 'npm --version')"
    echo "== $machine"
    one_machine
    machines=${machines:+$machines, }$machine
    rm -rf "$place"
  done
  echo "fresh machine: every step done with $machines"
  [ -z "$tests" ] || echo "$tests"
}

usage() {
  sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
  exit 2
}

# From the first command of README to the installed package.
one_machine() {
  local project=$place/coord
  cp -R "$work/committed" "$project"
  step coord 'npm install && npm start'
  expect 'a chain tree' '├─ lead'
  cp "$work/committed/package-lock.json" "$project"
  step coord 'npm ci'
  step coord 'npm pack --pack-destination ..'
  step . 'npm install -g --prefix global ./cc-coordination-*.tgz'
  step . './global/bin/coord --help'
  step . './global/bin/coord sample record'
  step . './global/bin/coord tree --record-dir record'
  expect 'a chain tree' '├─ lead'
  step . './global/bin/coord doctor --record-dir record'
  if $with_tests; then
    step_shown coord 'npm install && npm test'
    tests=$(tail -n 1 "$place/output")
  fi
}

# step FOLDER COMMAND: as on a bare machine; what it prints is kept, and told where it fails.
step() {
  local started=$SECONDS
  bare "$1" "$2" >"$place/output" 2>&1 || failed "$2" 100
  echo "ok      $2 ($((SECONDS - started)) s)"
}

# step_shown FOLDER COMMAND: the same for a step that takes long: what it prints is shown as it comes.
step_shown() {
  local started=$SECONDS
  bare "$1" "$2" 2>&1 | tee "$place/output" || failed "$2" 40
  echo "ok      $2 ($((SECONDS - started)) s)"
}

expect() {
  grep -q "$2" "$place/output" || failed "no $1 was printed" 100
}

# failed WHAT LINES: ends everything, with the last lines of what the step printed.
failed() {
  echo "FAILED  $1 ($machine); the end of what it printed:" >&2
  tail -n "$2" "$place/output" >&2
  exit 1
}

# bare FOLDER COMMAND: with an empty home, and nothing in the environment but what is named here. A machine that reaches
# the registry by certificates or a proxy of its own goes on doing so.
bare() (
  cd "$place/$1"
  exec env -i HOME="$place/home" PATH="$programs:/usr/local/bin:/usr/bin:/bin" ${CI:+CI="$CI"} \
    ${certificates:+NODE_EXTRA_CA_CERTS="$certificates"} ${https_proxy:+https_proxy="$https_proxy"} \
    ${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} sh -c "$2" </dev/null
)

certificates_of_this_machine() {
  local named=${NODE_EXTRA_CA_CERTS:-$(npm config get cafile)}
  [ "$named" = null ] || echo "$named"
}

# A clone, since the build names its commit; where there is no repository, the files but for what is installed or built.
committed_files() {
  if [ -e "$checkout/.git" ]; then
    git -c safe.directory="$checkout" clone -q "$checkout" "$work/committed"
  else
    mkdir "$work/committed"
    tar cf - -C "$checkout" --exclude=./node_modules --exclude=./dist --exclude=./.host-types . |
      tar xf - -C "$work/committed"
  fi
}

# fetch_node NODE[:NPM]: both as packages of npm. That of Node holds no npm; its list of changes says which comes with it.
fetch_node() {
  local node=${1%:*} npm=${1#*:} folder=$place/node
  unpack "$(node -p '`node-${process.platform}-${process.arch}`')@$node" "$folder"
  [ "$npm" != "$1" ] || npm=$(sed -n '/upgrade npm to /{s/.*upgrade npm to \([0-9.]*\).*/\1/p;q;}' "$folder/CHANGELOG.md")
  unpack "npm@$npm" "$folder/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$folder/bin/npm"
  programs=$folder/bin
}

unpack() {
  mkdir -p "$2" "$work/packed"
  npm pack --silent --cache "$work/npm-cache" --pack-destination "$work/packed" "$1" >/dev/null
  tar xzf "$work"/packed/*.tgz -C "$2" --strip-components=1
  rm -r "$work/packed"
}

main "$@"
