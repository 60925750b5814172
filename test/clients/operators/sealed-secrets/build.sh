copy_module github.com/bitnami-labs/sealed-secrets@v0.40.0
use_libraries
compile ./cmd/controller sealed-secrets
compile ./cmd/kubeseal kubeseal
load_image operators.test/sealed-secrets:test sealed-secrets:/usr/local/bin/controller
