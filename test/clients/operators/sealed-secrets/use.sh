#!/bin/bash
# The controller of Sealed Secrets on the cluster of $KUBECONFIG, installed with its own chart ($SOURCE/helm/sealed-secrets).
# Called by ../run.sh, which provides `kubectl`, `kubeseal`, `chart` and the image.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

install_chart() {
  chart "$SOURCE/helm/sealed-secrets" sealed sealed-secrets \
    image.registry=operators.test image.repository=sealed-secrets image.tag=test >"$work/chart.yaml" &&
    kubectl create namespace sealed &&
    kubectl apply --server-side -f "$SOURCE/helm/sealed-secrets/crds" &&
    kubectl apply --server-side -n sealed -f "$work/chart.yaml" &&
    kubectl -n sealed rollout status deployment/sealed-secrets --timeout=120s
}
# kubeseal asks the controller by the API server's proxy of Services.
seal() { kubeseal --kubeconfig "$KUBECONFIG" --controller-namespace sealed --controller-name sealed-secrets "$@"; }
seal_secret() {
  kubectl create secret generic login --from-literal="password=$1" --dry-run=client -o yaml >"$work/secret.yaml" &&
    seal --format yaml <"$work/secret.yaml" >"$work/sealed.yaml"
}
is_secret() {
  read=$(kubectl get secret login -o 'jsonpath={.data.password}' | base64 -d)
  echo "the password is '$read'"
  [ "$read" = "$1" ]
}
sealed_elsewhere() { sed 's/^\( *\)name: login/\1name: other/' "$work/sealed.yaml" | kubectl apply -f -; }
condition() { field "$2" sealedsecret "$1" '{.status.conditions[?(@.type=="Synced")].status}'; }
gone() { refuses NotFound kubectl get "$1" "$2"; }
sealed_again() {
  seal --re-encrypt --format yaml <"$work/sealed.yaml" >"$work/again.yaml" && ! cmp -s "$work/sealed.yaml" "$work/again.yaml"
}

step "the chart installs, and the controller is available" install_chart
[ "$steps_failed" = 0 ] || exit 1

eventually "kubeseal fetches the certificate through the API server" 60 sh -c \
  "kubeseal --kubeconfig '$KUBECONFIG' --controller-namespace sealed --controller-name sealed-secrets --fetch-cert | grep -q 'BEGIN CERTIFICATE'"
step "a Secret is sealed" seal_secret first
step "nothing of it can be read" refuses '' grep -q "$(printf first | base64)" "$work/sealed.yaml"
step "the controller confirms that it can open it" sh -c "kubeseal --kubeconfig '$KUBECONFIG' --controller-namespace sealed \
  --controller-name sealed-secrets --validate <'$work/sealed.yaml'"
step "the sealed one is created" kubectl apply -f "$work/sealed.yaml"
eventually "the Secret is there" 60 is_secret first
eventually "its condition is true" 60 condition login True
step "the Secret is owned by it" field SealedSecret secret login '{.metadata.ownerReferences[0].kind}'
step "printer columns show it" sh -c "kubectl get sealedsecret login | grep -q True"
step "the Secret is deleted" kubectl delete secret login
eventually "it is made again" 60 is_secret first
step "another value is sealed" seal_secret second
step "and applied" kubectl apply -f "$work/sealed.yaml"
eventually "the Secret follows" 60 is_secret second
step "sealed for one name, it is created under another" sealed_elsewhere
eventually "its condition is false" 60 condition other False
eventually "an event says so" 60 sh -c "kubectl get events --field-selector involvedObject.name=other | grep -q ErrUnsealFailed"
step "no Secret of that name was made" gone secret other
step "it is sealed again by the controller" sealed_again
step "the sealed one is deleted" kubectl delete sealedsecret login
eventually "and with it the Secret" 60 gone secret login

step "no container of the controller has restarted" sh -c \
  "! kubectl -n sealed get pods -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"
step "the chart is removed" kubectl delete -n sealed -f "$work/chart.yaml" --timeout=90s
step "its kinds are removed" kubectl delete -f "$SOURCE/helm/sealed-secrets/crds" --timeout=90s
step "its namespace is removed" kubectl delete namespace sealed --timeout=90s
exit "$((steps_failed > 0))"
