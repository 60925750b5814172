module k8ts.test/chart

go 1.26.0

require helm.sh/helm/v3 v3.22.0

// The versions of the other programs here, so that all share what is compiled.
require (
	k8s.io/api v0.37.1
	k8s.io/apiextensions-apiserver v0.37.1
	k8s.io/apimachinery v0.37.1
	k8s.io/client-go v0.37.1
)
