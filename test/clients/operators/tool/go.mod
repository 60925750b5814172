module k8ts.test/tool

go 1.26.0
