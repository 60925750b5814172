import type {
  IPBlock,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  NetworkPolicySpec,
} from "#/api/networking/v1.ts";
import {
  type FieldError,
  forbidden,
  invalid,
  JsonValue,
  notSupported,
  required,
} from "#/machinery/meta/field-error.ts";
import { type FieldPath, fieldPath } from "#/machinery/meta/field-path.ts";
import { parseCidrSloppy, validateLegacyCidr } from "#/machinery/meta/ip-rules.ts";
import { hasInvalidLabelValue, validateLabelSelector } from "#/machinery/meta/label-selector.ts";
import { isPortName, isPortNumber } from "#/machinery/meta/text-rules.ts";
import { append } from "#/std/base/append.ts";
import { cidrContains } from "#/std/net/cidr.ts";

/** Upstream: pkg/apis/networking/validation/validation.go. */
interface Options {
  readonly allowInvalidValues: boolean;
  /** Networks that the old policy has. */
  readonly known: ReadonlySet<string>;
  /** Errors of declared rules of the types, which come last. */
  readonly declared: FieldError[];
}

/** Validation errors of a network policy; old is the object that an update replaces. */
export function validatePolicySpec(spec: NetworkPolicySpec, old?: NetworkPolicySpec): FieldError[] {
  const path = fieldPath("spec");
  const options: Options = {
    allowInvalidValues: hasInvalidLabelValue(old?.podSelector),
    known: new Set(old && knownCidrs(old)),
    declared: [],
  };
  const errors = validateLabelSelector(spec.podSelector, path.child("podSelector"), options);
  spec.ingress?.forEach(({ ports = [], from = [] }, index) => {
    const at = path.child("ingress").index(index);
    append(errors, validatePorts(ports, at.child("ports")));
    append(errors, validatePeers(from, at.child("from"), options));
  });
  spec.egress?.forEach(({ ports = [], to = [] }, index) => {
    const at = path.child("egress").index(index);
    append(errors, validatePorts(ports, at.child("ports")));
    append(errors, validatePeers(to, at.child("to"), options));
  });
  append(errors, validatePolicyTypes(spec.policyTypes ?? [], path.child("policyTypes")));
  return [...errors, ...options.declared];
}

const policyTypes = ["Ingress", "Egress"];

function validatePolicyTypes(types: readonly string[], path: FieldPath): FieldError[] {
  if (types.length > policyTypes.length) {
    return [invalid(path, types, "may not specify more than two policyTypes")];
  }
  return types.flatMap((type, index) => {
    if (policyTypes.includes(type)) return [];
    return [notSupported(path.index(index), new JsonValue(type), policyTypes)];
  });
}

function knownCidrs({ ingress = [], egress = [] }: NetworkPolicySpec): string[] {
  const peers = [
    ...ingress.flatMap(({ from = [] }) => from),
    ...egress.flatMap(({ to = [] }) => to),
  ];
  return peers.flatMap(({ ipBlock }) => (ipBlock ? [ipBlock.cidr, ...(ipBlock.except ?? [])] : []));
}

function validatePorts(ports: readonly NetworkPolicyPort[], path: FieldPath): FieldError[] {
  return ports.flatMap((port, index) => validatePort(port, path.index(index)));
}

const protocols = ["TCP", "UDP", "SCTP"];

function validatePort(
  { protocol, port, endPort }: NetworkPolicyPort,
  path: FieldPath,
): FieldError[] {
  const errors: FieldError[] = [];
  if (protocol !== undefined && !protocols.includes(protocol)) {
    errors.push(notSupported(path.child("protocol"), new JsonValue(protocol), protocols));
  }
  const wrongEnd = (detail: string): void => {
    if (endPort !== undefined) errors.push(invalid(path.child("endPort"), endPort, detail));
  };
  if (port === undefined) wrongEnd("may not be specified when `port` is not specified");
  else if (typeof port === "number") {
    for (const problem of isPortNumber(port))
      errors.push(invalid(path.child("port"), port, problem));
    if (endPort === undefined) return errors;
    if (endPort < port) wrongEnd("must be greater than or equal to `port`");
    for (const problem of isPortNumber(endPort)) wrongEnd(problem);
  } else {
    wrongEnd("may not be specified when `port` is non-numeric");
    for (const problem of isPortName(port)) errors.push(invalid(path.child("port"), port, problem));
  }
  return errors;
}

function validatePeers(
  peers: readonly NetworkPolicyPeer[],
  path: FieldPath,
  options: Options,
): FieldError[] {
  return peers.flatMap((peer, index) => validatePeer(peer, path.index(index), options));
}

function validatePeer(peer: NetworkPolicyPeer, path: FieldPath, options: Options): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors = [
    ...validateLabelSelector(podSelector, path.child("podSelector"), options),
    ...validateLabelSelector(namespaceSelector, path.child("namespaceSelector"), options),
    ...(ipBlock ? validateBlock(ipBlock, path.child("ipBlock"), options) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) {
    errors.push(required(path, "must specify a peer"));
  } else if (ipBlock && (podSelector || namespaceSelector)) {
    errors.push(forbidden(path, "may not specify both ipBlock and another peer"));
  }
  return errors;
}

function validateBlock(block: IPBlock, path: FieldPath, options: Options): FieldError[] {
  const { cidr, except = [] } = block;
  const { known, declared } = options;
  if (cidr === "") {
    declared.push(required(path.child("cidr")));
    return [];
  }
  const errors = validateLegacyCidr(path.child("cidr"), cidr, { old: known });
  const whole = parseCidrSloppy(cidr);
  if (!whole) return errors;
  except.forEach((text, index) => {
    const at = path.child("except").index(index);
    append(errors, validateLegacyCidr(at, text, { old: known }));
    const part = parseCidrSloppy(text);
    if (!part) return;
    if (cidrContains(whole, part.ip) && whole.prefixLength < part.prefixLength) return;
    errors.push(invalid(at, text, "must be a strict subset of `cidr`"));
  });
  return errors;
}
