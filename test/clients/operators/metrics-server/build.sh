copy_module sigs.k8s.io/metrics-server@v0.9.0
use_libraries
compile ./cmd/metrics-server metrics-server
load_image registry.k8s.io/metrics-server/metrics-server:v0.9.0 metrics-server:/metrics-server
