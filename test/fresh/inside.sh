#!/bin/sh
# The commands of the README, as a user types them on a machine that was installed a minute ago. fresh.sh runs it.
set -eu
cd /opt/k8ts
image=k8ts.test/web:1

run() {
  echo "fresh\$ $*"
  "$@"
}

run ./k8ts help | head -n 3
run ./k8ts test "$@"
run ./k8ts up
node_modules/node-linux-*/bin/node test/fresh/write-image.ts "$image" /tmp/web.tar
run ./k8ts image load /tmp/web.tar
run ./k8ts kubectl create deployment web --image="$image"
run ./k8ts kubectl rollout status deployment/web --timeout=180s
run ./k8ts kubectl get pods -o wide
run ./k8ts status
run ./k8ts down --purge
