import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEgressConfiguration } from "./egress-configuration.ts";

const head =
  "apiVersion: apiserver.k8s.io/v1beta1\nkind: EgressSelectorConfiguration\negressSelections:\n";
const refused = "failed to validate egress selector configuration: ";
const unread = "failed to read egress selector config: ";

// Errors of kube-apiserver v1.37.1 for the same files.
const cases: readonly (readonly [name: string, text: string, message: string])[] = [
  ["has no kind", "foo: bar", `${unread}Object 'Kind' is missing in 'foo: bar'`],
  [
    "is something else",
    "apiVersion: v1\nkind: Pod",
    `${unread}no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
  ],
  [
    "has unknown fields",
    `${head}- name: cluster\n  foo: 1\n`,
    `${unread}strict decoding error: unknown field "egressSelections[0].foo"`,
  ],
  [
    "names what there isn't",
    `${head}- name: foo\n  connection: {proxyProtocol: Direct}\n- name: Cluster\n  connection: {proxyProtocol: Direct, transport: {}}\n- name: cluster\n  connection: {proxyProtocol: X}\n`,
    `${refused}[service.connection.transport: Invalid value: "direct": config must be absent for direct connect, service.connection.protocol: Unsupported value: "X": supported values: "Direct", "HTTPConnect", "GRPC", service.connection: Unsupported value: "foo": supported values: "cluster", "controlplane", "etcd", service.connection[2]: Duplicate value: "cluster"]`,
  ],
  [
    "leaves out transports",
    `${head}- name: cluster\n  connection: {proxyProtocol: HTTPConnect}\n- name: etcd\n  connection: {proxyProtocol: HTTPConnect, transport: {}}\n- name: controlplane\n  connection: {proxyProtocol: GRPC}\n`,
    `${refused}[service.connection.transport: Required value: transport must be set for HTTPConnect, service.connection.tcp: Required value: One of TCP or UDS must be set, service.connection.transport: Required value: transport must be set for GRPC]`,
  ],
  [
    "has impossible transports",
    `${head}- name: cluster\n  connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: 'ftp://x'}}}\n- name: etcd\n  connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: 'https://x'}, uds: {udsName: x}}}\n- name: controlplane\n  connection: {proxyProtocol: GRPC, transport: {uds: {udsName: ''}}}\n`,
    `${refused}[service.connection.url: Invalid value: "ftp://x": supported connection protocols are http:// and https://, service.connection.tcp: Invalid value: {"URL":"https://x","TLSConfig":null}: TCP and UDS cannot both be set, service.connection.udsName: Invalid value: "nil": must be present for UDS connections]`,
  ],
  [
    "lacks certificates",
    `${head}- name: cluster\n  connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: 'https://x'}}}\n- name: etcd\n  connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: 'https://x', tlsConfig: {caBundle: /nope, clientCert: /nope}}}}\n- name: controlplane\n  connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: 'http://x', tlsConfig: {}}}}\n`,
    `${refused}[service.connection.tlsConfig: Required value: TLSConfig must be present when using HTTPS, service.connection.tlsConfig.caBundle: Invalid value: "/nope": TLS config ca bundle does not exist, service.connection.tlsConfig.clientCert: Invalid value: "/nope": TLS client cert does not exist, service.connection.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires requires clientKey, service.connection.tlsConfig: Invalid value: "nil": config must not be present when using HTTP]`,
  ],
];

for (const [name, text, message] of cases) {
  test(`parseEgressConfiguration() refuses a file that ${name}`, () => {
    assert.throws(() => parseEgressConfiguration(text), { message });
  });
}

test("parseEgressConfiguration() reads selections", () => {
  const text = `${head}- name: Cluster\n  connection:\n    proxyProtocol: GRPC\n    transport: {uds: {udsName: /run/s}}\n`;
  assert.deepEqual(parseEgressConfiguration(text), [
    {
      name: "Cluster",
      connection: { proxyProtocol: "GRPC", transport: { uds: { udsName: "/run/s" } } },
    },
  ]);
});
