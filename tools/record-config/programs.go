package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"k8s.io/client-go/util/keyutil"
)

// Flags that upstream's server needs and ours does not: an etcd, and the keys of tokens.
var needed = map[string][]string{
	"kube-apiserver": {
		"--etcd-servers=http://127.0.0.1:1", "--cert-dir=certs", "--authorization-mode=RBAC", "--secure-port=16998",
		"--service-account-issuer=https://issuer.example.com",
		"--service-account-signing-key-file=key.pem", "--service-account-key-file=key.pem",
	},
}

var failed = regexp.MustCompile(`"command failed" err=("(?:[^"\\]|\\.)*")`)

// limit ends a program that accepts its command line, and then serves or waits.
const limit = 20 * time.Second

// runs returns a recorder that starts a program of the folder PROGRAMS and reads its last output.
func runs(name string) func(json.RawMessage) (string, error) {
	return func(given json.RawMessage) (string, error) {
		var args []string
		if err := json.Unmarshal(given, &args); err != nil {
			return "", err
		}
		folder, err := workFolder()
		if err != nil {
			return "", err
		}
		defer os.RemoveAll(folder)
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		program := filepath.Join(os.Getenv("PROGRAMS"), name)
		command := exec.CommandContext(ctx, program, append(needed[name], args...)...)
		command.Dir = folder
		output, _ := command.CombinedOutput()
		found := failed.FindSubmatch(output)
		if found == nil {
			return "", nil
		}
		return strconv.Unquote(string(found[1]))
	}
}

// workFolder creates a folder with a key.
func workFolder() (string, error) {
	folder, err := os.MkdirTemp("", "record-config")
	if err != nil {
		return "", err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return "", err
	}
	text, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return "", err
	}
	return folder, os.WriteFile(filepath.Join(folder, "key.pem"), text, 0o600)
}
