package main

import (
	"encoding/json"
	"net/http"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes/scheme"
)

// acceptCase is the Accept header of a request for a resource that can be shown as a Table.
type acceptCase struct {
	Accept    string     `json:"accept"`
	MediaType string     `json:"mediaType,omitempty"`
	Pretty    bool       `json:"pretty,omitempty"`
	Stream    string     `json:"stream,omitempty"`
	Profile   string     `json:"profile,omitempty"`
	ConvertTo *convertTo `json:"convertTo,omitempty"`
	Error     string     `json:"error,omitempty"`
}

type convertTo struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
}

var scope = &handlers.RequestScope{
	TableConvertor:   rest.NewDefaultTableConvertor(schema.GroupResource{Resource: "pods"}),
	MetaGroupVersion: metav1.SchemeGroupVersion,
}

func recordAccept(raw json.RawMessage) (any, error) {
	var c acceptCase
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, err
	}
	request, err := http.NewRequest("GET", "/", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", c.Accept)
	answer := acceptCase{Accept: c.Accept}
	options, info, err := negotiation.NegotiateOutputMediaType(request, scheme.Codecs, scope)
	if err != nil {
		answer.Error = err.Error()
		return answer, nil
	}
	answer.MediaType, answer.Pretty, answer.Stream, answer.Profile = info.MediaType, options.Pretty, options.Stream, options.Profile
	if options.Convert != nil {
		answer.ConvertTo = &convertTo{options.Convert.Group, options.Convert.Version, options.Convert.Kind}
	}
	return answer, nil
}
