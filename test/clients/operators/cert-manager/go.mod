// The name lies within cert-manager's own: its programs live in modules of their own that no proxy has, and the packages they
// are made of are internal.
module github.com/cert-manager/cert-manager/operators

go 1.26.0

require github.com/cert-manager/cert-manager v1.21.2
