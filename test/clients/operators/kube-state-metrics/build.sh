copy_module k8s.io/kube-state-metrics/v2@v2.20.0
use_libraries
# A requirement of a requirement, which no proxy has any more, and with which nothing here is compiled.
mkdir -p "$work/netaddr"
echo "module inet.af/netaddr" >"$work/netaddr/go.mod"
(cd "$SOURCE" && go mod edit -replace="inet.af/netaddr=$work/netaddr")
compile . kube-state-metrics
load_image registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.20.0 kube-state-metrics:/kube-state-metrics
