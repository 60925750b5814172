// Command record-cloud reads the cloud-config files in the given JSON file with upstream's own reader, and writes the
// answers beside them. The file is replayed by the tests of src/cloud/aws/config.
//
//	go run . ../../src/cloud/aws/config/recorded/cloud-config.json
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"gopkg.in/gcfg.v1"
	"k8s.io/cloud-provider-aws/pkg/providers/v1/config"
)

type record struct {
	Name   string              `json:"name"`
	Source string              `json:"source"`
	Error  string              `json:"error,omitempty"`
	Config *config.CloudConfig `json:"config,omitempty"`
}

func read(source string) (*config.CloudConfig, error) {
	var cfg config.CloudConfig
	if err := gcfg.FatalOnly(gcfg.ReadInto(&cfg, strings.NewReader(source))); err != nil {
		return nil, fmt.Errorf("unable to read AWS cloud provider config file: %v", err)
	}
	if err := cfg.ValidateOverrides(); err != nil {
		return nil, fmt.Errorf("unable to validate custom endpoint overrides: %v", err)
	}
	return &cfg, nil
}

func run(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var records []record
	if err := json.Unmarshal(data, &records); err != nil {
		return err
	}
	for i := range records {
		cfg, err := read(records[i].Source)
		records[i].Config, records[i].Error = cfg, ""
		if err != nil {
			records[i].Config, records[i].Error = nil, err.Error()
		}
	}
	encoded, err := json.MarshalIndent(records, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(encoded, '\n'), 0o644)
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
