/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_ingress.go. */
import { parseIntOrString } from "#/machinery/values/int-or-string.ts";
import { CommandError } from "../../base/errors.ts";
import { generator } from "./generator.ts";

/** host/path=service:port[,tls[=secret]]. */
const rulePattern = /^[\w*.-]*\/.*=[\w-]+:[\w-]+(?:,tls=?(?:[\w-]+)?)?/;

/** `kubectl create ingress`. */
export const createIngress = generator({
  usage: "ingress NAME --rule=host/path=service:port[,tls[=secret]] ",
  aliases: ["ing"],
  flags: {
    class: { type: "string", help: "Ingress class that handles it" },
    rule: {
      type: "stringArray",
      help:
        "Rule in the format host/path=service:port[,tls=secretname]. A path that ends with " +
        "'*' has the path type Prefix, others Exact. The part about TLS may be left out",
    },
    "default-backend": {
      type: "string",
      help: "Service for requests that no rule matches, in the format svcname:port",
    },
    annotation: {
      type: "stringArray",
      help: "Annotation of the Ingress, in the format annotation=value. May be repeated",
    },
  },
  failure: "failed to create ingress:",
  build: ({ flags, metadata }) => {
    const backend = flags["default-backend"];
    check(flags.rule, flags.annotation, backend);
    const annotations = Object.fromEntries(flags.annotation.map(splitAnnotation));
    const tls = tlsRules(flags.rule);
    const rules = hostRules(flags.rule);
    return {
      apiVersion: "networking.k8s.io/v1",
      kind: "Ingress",
      metadata: { ...metadata, ...(flags.annotation.length > 0 ? { annotations } : {}) },
      spec: {
        ...(flags.class === "" ? {} : { ingressClassName: flags.class }),
        ...(backend === "" ? {} : { defaultBackend: backendOf(backend) }),
        ...(tls.length > 0 ? { tls } : {}),
        ...(rules.length > 0 ? { rules } : {}),
      },
    };
  },
});

function check(rules: readonly string[], annotations: readonly string[], backend: string): void {
  if (backend === "" && rules.length === 0) {
    throw new CommandError(
      "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which catch specific paths)",
    );
  }
  for (const rule of rules) {
    if (!rulePattern.test(rule)) {
      throw new CommandError(
        `rule ${rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]`,
      );
    }
  }
  for (const annotation of annotations) {
    if (!annotation.includes("=")) {
      throw new CommandError(
        `annotation ${annotation} is invalid and should be in format key=[value]`,
      );
    }
  }
  if (backend !== "" && backend.split(":").length !== 2) {
    throw new CommandError("default-backend should be in format servicename:serviceport");
  }
}

function splitAnnotation(text: string): [string, string] {
  const equals = text.indexOf("=");
  return [text.slice(0, equals), text.slice(equals + 1)];
}

function backendOf(text: string): object {
  const [name = "", port = ""] = text.split(":");
  const parsed = parseIntOrString(port);
  return {
    service: { name, port: typeof parsed === "number" ? { number: parsed } : { name: parsed } },
  };
}

interface TlsRule {
  hosts?: string[];
  secretName?: string;
}

function tlsRules(rules: readonly string[]): TlsRule[] {
  const found: TlsRule[] = [];
  const seen = new Set<string>();
  for (const rule of rules) {
    const [, tls, ...rest] = rule.split(",");
    const host = rule.split("/", 1)[0] ?? "";
    if (tls === undefined || rest.length > 0 || seen.has(host)) continue;
    seen.add(host);
    const secret = tls.split("=")[1] ?? "";
    const same = found.find(({ secretName = "" }) => secretName === secret);
    if (same) same.hosts = [...(same.hosts ?? []), host];
    else if (host !== "" || secret !== "") {
      found.push({
        ...(host === "" ? {} : { hosts: [host] }),
        ...(secret === "" ? {} : { secretName: secret }),
      });
    }
  }
  return found;
}

interface HostRule {
  host?: string;
  http: { paths: object[] };
}

function hostRules(rules: readonly string[]): HostRule[] {
  const found: HostRule[] = [];
  for (const rule of rules) {
    const plain = rule.split(",")[0] ?? "";
    const slash = plain.indexOf("/");
    const host = plain.slice(0, slash);
    const path = pathOf(plain.slice(slash + 1));
    const same = found.find((each) => (each.host ?? "") === host);
    if (same) same.http.paths.push(path);
    else found.push({ ...(host === "" ? {} : { host }), http: { paths: [path] } });
  }
  return found;
}

function pathOf(text: string): object {
  const [name = "", service = ""] = text.split("=");
  const isPrefix = name.endsWith("*");
  return {
    path: `/${isPrefix ? name.slice(0, -1) : name}`,
    pathType: isPrefix ? "Prefix" : "Exact",
    backend: backendOf(service),
  };
}
