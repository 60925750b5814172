import type { Service, ServicePort } from "#/api/core/v1.ts";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Label, isQualifiedName } from "#/machinery/meta/names.ts";
import { isPortName, isPortNumber } from "#/machinery/meta/text-rules.ts";

/** Upstream: pkg/apis/core/validation/validation.go (validateServicePort, validateService). */
const portsPath = fieldPath("spec", "ports");
const protocols = ["SCTP", "TCP", "UDP"];

/** Validation errors of each port of a Service. */
export function validatePorts({ spec: { ports = [] } }: Service): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = portsPath.index(index);
    return [
      ...validateName(port.name ?? "", { names, required: ports.length > 1 }, path.child("name")),
      ...validatePort(port, path),
    ];
  });
}

function validateName(
  name: string,
  known: { readonly names: Set<string>; readonly required: boolean },
  path: FieldPath,
): FieldError[] {
  if (name === "") return known.required ? [required(path)] : [];
  const errors = isDNS1123Label(name).map((problem) => invalid(path, name, problem));
  if (known.names.has(name)) errors.push(duplicate(path, name));
  known.names.add(name);
  return errors;
}

function validatePort(port: ServicePort, path: FieldPath): FieldError[] {
  const { protocol = "", targetPort = 0, appProtocol } = port;
  const errors = isPortNumber(port.port).map((problem) =>
    invalid(path.child("port"), port.port, problem),
  );
  if (protocol === "") errors.push(required(path.child("protocol")));
  else if (!protocols.includes(protocol)) {
    errors.push(notSupported(path.child("protocol"), new JsonValue(protocol), protocols));
  }
  const problems =
    typeof targetPort === "number" ? isPortNumber(targetPort) : isPortName(targetPort);
  for (const problem of problems) {
    errors.push(invalid(path.child("targetPort"), targetPort, problem));
  }
  if (appProtocol !== undefined) {
    for (const problem of isQualifiedName(appProtocol)) {
      errors.push(invalid(path.child("appProtocol"), appProtocol, problem));
    }
  }
  return errors;
}

/** Validation errors of all ports of a Service together, and of its type. */
export function validatePortUse({ spec: { ports = [], type } }: Service): FieldError[] {
  const errors: FieldError[] = [];
  ports.forEach(({ nodePort }, index) => {
    if (type !== "ClusterIP" || !nodePort) return;
    const path = portsPath.index(index).child("nodePort");
    errors.push(forbidden(path, "may not be used when `type` is 'ClusterIP'"));
  });
  const nodePorts = new Set<string>();
  ports.forEach(({ protocol, nodePort }, index) => {
    if (!nodePort) return;
    const key = `${protocol} ${nodePort}`;
    if (nodePorts.has(key)) {
      errors.push(duplicate(portsPath.index(index).child("nodePort"), nodePort));
    }
    nodePorts.add(key);
  });
  const seen = new Set<string>();
  ports.forEach(({ protocol, port }, index) => {
    const key = `${protocol} ${port}`;
    if (seen.has(key)) errors.push(duplicate(portsPath.index(index), internalPort(protocol, port)));
    seen.add(key);
  });
  return errors;
}

/** Upstream shows its internal type, whose fields have no JSON names. */
function internalPort(protocol: string | undefined, port: number): object {
  return {
    Name: "",
    Protocol: protocol ?? "",
    AppProtocol: null,
    Port: port,
    TargetPort: 0,
    NodePort: 0,
  };
}
