#!/bin/sh
# k8ts of an npm package: `npx k8ts up`. Node.js runs no TypeScript in a folder node_modules, and npm may empty its cache while a
# cluster runs: the package, with Node.js and all that npm has installed for it, is put once into a folder of the user's own.
set -eu
self=$(readlink -f "$0")
root=${self%/bin/npm.sh}

# Prints the text between quotes of the first line of package.json that has a word.
quoted_after() {
  while IFS= read -r line; do
    case $line in *"\"$1\":"*) line=${line#*"\"$1\":"*\"}; echo "${line%%\"*}"; return ;; esac
  done <"$root/package.json"
}

commit=$(quoted_after gitHead)
rest=${commit#????????}
cache=${XDG_CACHE_HOME:-$HOME/.cache}/k8ts
place=$cache/$(quoted_after version)${commit:++${commit%"$rest"}}

if [ ! -e "$place/k8ts" ]; then
  umask 022
  mkdir -p "$cache"
  new=$(mktemp -d "$cache/.new.XXXXXX")
  trap 'rm -rf "$new"' EXIT
  trap 'exit 130' INT TERM HUP
  # Links cost no space where the cache is on the same file system.
  cp -al "$root/." "$new/" 2>/dev/null || { rm -rf "$new"; mkdir "$new"; cp -a "$root/." "$new/"; }
  # npm puts packages beside this one where it has no reason to put them into it.
  for package in "${root%/*}"/node-linux-* "${root%/*}"/*; do
    name=${package##*/}
    case $name in k8ts | .*) continue ;; esac
    case $root in */node_modules/k8ts) ;; *) break ;; esac
    if [ -e "$new/node_modules/$name" ] || [ ! -e "$package" ]; then continue; fi
    mkdir -p "$new/node_modules"
    cp -a "$package" "$new/node_modules/$name"
  done
  mv "$new/npm-shrinkwrap.json" "$new/package-lock.json"
  [ "$(id -u)" != 0 ] || chown -R -h root:root "$new"
  chmod -R u+rwX,go+rX,go-w "$new"
  : >"$new/node_modules/.k8ts-installed"
  mv -T "$new" "$place" 2>/dev/null || [ -e "$place/k8ts" ]
  trap - EXIT
  rm -rf "$new"
fi
exec "$place/k8ts" "$@"
