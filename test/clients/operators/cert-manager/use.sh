#!/bin/bash
# Cert-manager's controller, webhook and cainjector on the cluster of $KUBECONFIG, installed from its own chart.
# Called by ../run.sh, which provides $CHART (the chart's folder), `kubectl`, `chart` and images under the names below.
set -u
# shellcheck source=test/clients/operators/steps.sh
. "${0%/*}/../steps.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

render_chart() {
  chart "$CHART" cert-manager cert-manager crds.enabled=true startupapicheck.enabled=false \
    image.repository=operators.test/cert-manager-controller image.tag=test \
    webhook.image.repository=operators.test/cert-manager-webhook webhook.image.tag=test \
    cainjector.image.repository=operators.test/cert-manager-cainjector cainjector.image.tag=test >"$work/chart.yaml"
}
install_chart() {
  kubectl create namespace cert-manager &&
    kubectl apply --server-side -f "$work/chart.yaml" &&
    kubectl -n cert-manager wait deployment --all --for=condition=Available --timeout=300s
}

apply() { printf '%s\n' "$1" | kubectl apply -f -; }

# The parts of a Secret as files.
save_secret() {
  for part in tls.crt tls.key ca.crt; do
    kubectl get secret "$1" -o "jsonpath={.data['${part/./\\.}']}" | base64 -d >"$work/$1.$part"
  done
}

leaf_is_valid() {
  save_secret leaf && save_secret ca || return 1
  openssl verify -CAfile "$work/ca.tls.crt" "$work/leaf.tls.crt" &&
    openssl x509 -in "$work/leaf.tls.crt" -noout -ext subjectAltName | grep -q 'DNS:web.example.test' &&
    cmp "$work/ca.tls.crt" "$work/leaf.ca.crt" &&
    cmp <(openssl x509 -in "$work/leaf.tls.crt" -noout -pubkey) <(openssl pkey -in "$work/leaf.tls.key" -pubout)
}

is_ready() { kubectl wait "$1" --for=condition=Ready --timeout=60s; }
has_bundle() { [ -n "$(kubectl get "$1" "$2" -o "jsonpath=$3")" ]; }
is_reissued() { [ "$(kubectl get certificate leaf -o 'jsonpath={.status.revision}')" -ge 2 ]; }

request_by_csr() {
  openssl req -new -newkey rsa:2048 -nodes -keyout "$work/csr.key" -subj /CN=csr.example.test -out "$work/csr.pem" &&
    apply "{apiVersion: certificates.k8s.io/v1, kind: CertificateSigningRequest, metadata: {name: signed-by-issuer}, spec: {
      request: $(base64 -w0 "$work/csr.pem"), signerName: issuers.cert-manager.io/default.ca, usages: [digital signature, key encipherment]}}" &&
    kubectl certificate approve signed-by-issuer
}

csr_is_signed() {
  kubectl get csr signed-by-issuer -o 'jsonpath={.status.certificate}' | base64 -d >"$work/csr.crt"
  openssl verify -CAfile "$work/ca.tls.crt" "$work/csr.crt"
}

step "the chart renders" render_chart
step "its objects are created, and its three Deployments are available" install_chart
# The rest needs it.
[ "$steps_failed" = 0 ] || exit 1
eventually "cainjector fills the caBundle of the ValidatingWebhookConfiguration" 60 \
  has_bundle validatingwebhookconfiguration cert-manager-webhook '{.webhooks[0].clientConfig.caBundle}'
eventually "cainjector fills the caBundle of the MutatingWebhookConfiguration" 60 \
  has_bundle mutatingwebhookconfiguration cert-manager-webhook '{.webhooks[0].clientConfig.caBundle}'

eventually "the webhook admits a self-signed ClusterIssuer" 60 \
  apply '{apiVersion: cert-manager.io/v1, kind: ClusterIssuer, metadata: {name: self-signed}, spec: {selfSigned: {}}}'
step "the ClusterIssuer becomes Ready" is_ready clusterissuer/self-signed
step "a Certificate of a CA is created" apply '{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: ca}, spec: {
  isCA: true, commonName: test CA, secretName: ca, privateKey: {algorithm: ECDSA, size: 256},
  issuerRef: {name: self-signed, kind: ClusterIssuer, group: cert-manager.io}}}'
step "it becomes Ready" is_ready certificate/ca
step "an Issuer of that CA is created" \
  apply '{apiVersion: cert-manager.io/v1, kind: Issuer, metadata: {name: ca}, spec: {ca: {secretName: ca}}}'
step "it becomes Ready" is_ready issuer/ca
step "a Certificate of that Issuer is created" apply '{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: leaf}, spec: {
  dnsNames: [web.example.test], secretName: leaf, issuerRef: {name: ca}}}'
step "it becomes Ready" is_ready certificate/leaf
step "its Secret has a chain that verifies, the right name and the right key" leaf_is_valid
step "its CertificateRequest has the requester from the mutating webhook" \
  field system:serviceaccount:cert-manager:cert-manager certificaterequest leaf-1 '{.spec.username}'
step "printer columns show it" sh -c "kubectl get certificate leaf | grep -q 'True *leaf'"

step "the webhook refuses a Certificate without names" refuses 'admission webhook "webhook.cert-manager.io" denied the request' \
  apply '{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: bad}, spec: {secretName: bad, issuerRef: {name: ca}}}'
step "the webhook refuses an update of a CertificateRequest" refuses 'cannot change spec after creation' \
  kubectl patch certificaterequest leaf-1 --type=merge -p '{"spec":{"duration":"1h0m0s"}}'
step "the schema refuses a Certificate without secretName" refuses 'spec.secretName: Required value' \
  apply '{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: bad}, spec: {dnsNames: [a.test], issuerRef: {name: ca}}}'

step "the Secret is deleted" kubectl delete secret leaf
eventually "the Certificate is issued again" 60 is_reissued
step "and is Ready" is_ready certificate/leaf
step "a CertificateSigningRequest for the Issuer is created and approved" request_by_csr
eventually "the Issuer signs it" 60 csr_is_signed
step "an Ingress asks for a certificate" apply '{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: web, annotations: {
  cert-manager.io/issuer: ca}}, spec: {tls: [{hosts: [web.example.test], secretName: web-tls}],
  defaultBackend: {service: {name: web, port: {number: 80}}}}}'
eventually "the Certificate of the Ingress exists" 60 kubectl get certificate web-tls
step "it becomes Ready" is_ready certificate/web-tls

step "a CustomResourceDefinition with a conversion webhook is created" apply '{apiVersion: apiextensions.k8s.io/v1,
  kind: CustomResourceDefinition, metadata: {name: things.operators.test, annotations: {cert-manager.io/inject-ca-from: default/ca}}, spec: {
  group: operators.test, scope: Namespaced, names: {plural: things, kind: Thing}, conversion: {strategy: Webhook, webhook: {
  conversionReviewVersions: [v1], clientConfig: {service: {name: things, namespace: default}}}},
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}'
eventually "cainjector fills its caBundle" 60 \
  has_bundle customresourcedefinition things.operators.test '{.spec.conversion.webhook.clientConfig.caBundle}'

step "no container has restarted" sh -c \
  "! kubectl -n cert-manager get pods -o 'jsonpath={.items[*].status.containerStatuses[*].restartCount}' | grep '[1-9]'"
step "the objects of the chart are removed, CustomResourceDefinitions with all their objects" \
  kubectl delete -f "$work/chart.yaml" --timeout=90s
step "its namespace is removed" kubectl delete namespace cert-manager --timeout=90s
exit "$((steps_failed > 0))"
