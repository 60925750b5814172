import { escapeUri } from "#/std/net/aws-signature.ts";
import type { AwsService, Param } from "./operation.ts";

/** The form that a call sends as its body. Undefined values and empty lists are left out. */
export function encodeQuery(service: AwsService, action: string, params: object): string {
  const pairs = [pair("Action", action), pair("Version", service.version)];
  for (const [name, value] of Object.entries(params)) {
    append(pairs, name, value as Param, service.protocol);
  }
  return pairs.join("&");
}

function append(
  pairs: string[],
  name: string,
  value: Param,
  protocol: AwsService["protocol"],
): void {
  if (value === undefined) return;
  if (typeof value !== "object") {
    pairs.push(pair(name, String(value)));
  } else if (isList(value)) {
    const element = protocol === "ec2" ? name : `${name}.member`;
    value.forEach((each, index) => {
      append(pairs, `${element}.${index + 1}`, each, protocol);
    });
    // The Query protocol can say "an empty list", EC2's can't.
    if (value.length === 0 && protocol === "query") pairs.push(pair(name, ""));
  } else {
    for (const [key, each] of Object.entries(value))
      append(pairs, `${name}.${key}`, each, protocol);
  }
}

function isList(value: object): value is readonly Param[] {
  return Array.isArray(value);
}

const pair = (name: string, value: string): string => `${escapeUri(name)}=${escapeUri(value)}`;
