/**
 * Upstream: staging/src/k8s.io/apiserver/pkg/server/egressselector/config.go,
 * staging/src/k8s.io/apiserver/pkg/apis/apiserver/v1beta1/types.go.
 */
import { existsSync } from "node:fs";
import { readConfigDocument } from "#/machinery/component/config-document.ts";
import {
  duplicate,
  type FieldError,
  formatFieldErrors,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { fieldPath } from "#/machinery/meta/field-path.ts";

/** The file of --egress-selector-config-file. */
interface EgressSelection {
  readonly name: string;
  readonly connection: EgressConnection;
}

export interface EgressConnection {
  readonly proxyProtocol?: string;
  readonly transport?: {
    readonly tcp?: { readonly url?: string; readonly tlsConfig?: EgressTls };
    readonly uds?: { readonly udsName?: string };
  };
}

export interface EgressTls {
  readonly caBundle?: string;
  readonly clientKey?: string;
  readonly clientCert?: string;
  readonly tlsServerName?: string;
}

const names = ["cluster", "controlplane", "etcd"];
const protocols = ["Direct", "HTTPConnect", "GRPC"];
const path = fieldPath("service", "connection");

/** Reads the text of the file. Throws if it is not a valid configuration. */
export function parseEgressConfiguration(text: string): readonly EgressSelection[] {
  const found = readDocument(text) as { egressSelections?: readonly Partial<EgressSelection>[] };
  const selections = (found.egressSelections ?? []).map(({ name = "", connection = {} }) => ({
    name,
    connection,
  }));
  const errors = [
    ...selections.flatMap(({ connection }) => connectionErrors(connection)),
    ...nameErrors(selections.map(({ name }) => name.toLowerCase())),
  ];
  if (errors.length > 0) {
    const list = formatFieldErrors(errors);
    throw new Error(`failed to validate egress selector configuration: ${list}`);
  }
  return selections;
}

function readDocument(text: string): object {
  try {
    return readConfigDocument(text, {
      kind: "EgressSelectorConfiguration",
      apiVersions: ["apiserver.k8s.io/v1beta1"],
      shape: {
        egressSelections: {
          name: true,
          connection: {
            proxyProtocol: true,
            transport: {
              tcp: {
                url: true,
                tlsConfig: {
                  caBundle: true,
                  clientKey: true,
                  clientCert: true,
                  tlsServerName: true,
                },
              },
              uds: { udsName: true },
            },
          },
        },
      },
    });
  } catch (error) {
    const reason = (error as Error).message;
    throw new Error(`failed to read egress selector config: ${reason}`, { cause: error });
  }
}

function connectionErrors({ proxyProtocol = "", transport }: EgressConnection): FieldError[] {
  const at = path.child("transport");
  switch (proxyProtocol) {
    case "Direct":
      return transport ? [invalid(at, "direct", "config must be absent for direct connect")] : [];
    case "HTTPConnect":
      return transport
        ? tunnelErrors(transport)
        : [required(at, "transport must be set for HTTPConnect")];
    case "GRPC":
      if (!transport) return [required(at, "transport must be set for GRPC")];
      return transport.uds
        ? socketErrors(transport.uds)
        : [required(path.child("uds"), "UDS must be set with GRPC")];
    default:
      return [notSupported(path.child("protocol"), proxyProtocol, protocols)];
  }
}

type Transport = NonNullable<EgressConnection["transport"]>;

function tunnelErrors({ tcp, uds }: Transport): FieldError[] {
  const at = path.child("tcp");
  if (tcp && uds) {
    const shown = new JsonValue({ URL: tcp.url ?? "", TLSConfig: tcp.tlsConfig ?? null });
    return [invalid(at, shown, "TCP and UDS cannot both be set")];
  }
  if (tcp) return tcpErrors(tcp);
  return uds ? socketErrors(uds) : [required(at, "One of TCP or UDS must be set")];
}

function socketErrors({ udsName = "" }: NonNullable<Transport["uds"]>): FieldError[] {
  if (udsName !== "") return [];
  return [invalid(path.child("udsName"), "nil", "must be present for UDS connections")];
}

function tcpErrors({ url = "", tlsConfig }: NonNullable<Transport["tcp"]>): FieldError[] {
  const at = path.child("tlsConfig");
  if (url.startsWith("http://")) {
    return tlsConfig ? [invalid(at, "nil", "config must not be present when using HTTP")] : [];
  }
  if (!url.startsWith("https://")) {
    const why = "supported connection protocols are http:// and https://";
    return [invalid(path.child("url"), url, why)];
  }
  if (!tlsConfig) return [required(at, "TLSConfig must be present when using HTTPS")];
  const { caBundle = "", clientCert = "", clientKey = "" } = tlsConfig;
  const file = (name: string, value: string, wanted: string, missing: string): FieldError[] => {
    if (value === "") return wanted === "" ? [] : [invalid(at.child(name), "nil", wanted)];
    return existsSync(value) ? [] : [invalid(at.child(name), value, missing)];
  };
  return [
    ...file("caBundle", caBundle, "", "TLS config ca bundle does not exist"),
    ...file(
      "clientCert",
      clientCert,
      "Using TLS requires clientCert",
      "TLS client cert does not exist",
    ),
    ...file(
      "clientKey",
      clientKey,
      "Using TLS requires requires clientKey",
      "TLS client key does not exist",
    ),
  ];
}

function nameErrors(given: readonly string[]): FieldError[] {
  return given.flatMap((name, index) => {
    if (given.indexOf(name) < index) return [duplicate(path.index(index), name)];
    return names.includes(name) ? [] : [notSupported(path, name, names)];
  });
}
