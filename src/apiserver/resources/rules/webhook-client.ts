import { X509Certificate } from "node:crypto";
import { type FieldError, invalid, required } from "#/machinery/meta/field-error.ts";
import type { FieldPath } from "#/machinery/meta/field-path.ts";
import { isDNS1123Subdomain, rangeMessage } from "#/machinery/meta/names.ts";
import { readPemBlocks } from "#/std/x509/pem.ts";

/**
 * Rules for the client configuration of a webhook, the same for every kind that has one.
 *
 * Upstream: staging/src/k8s.io/apiserver/pkg/util/webhook/validation.go.
 */

const form = "; desired format: https://host[/path]";

/** The URL of a webhook: https, with only host and path. */
export function validateWebhookUrl(url: string, path: FieldPath): FieldError[] {
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(url)?.[1]?.toLowerCase() ?? "";
  const rest = scheme === "" ? url : url.slice(scheme.length + 1);
  const [beforeFragment = "", ...fragments] = rest.split("#");
  const [beforeQuery = "", ...queries] = beforeFragment.split("?");
  const authority = beforeQuery.startsWith("//") ? (beforeQuery.slice(2).split("/")[0] ?? "") : "";
  const at = authority.lastIndexOf("@");
  const host = authority.slice(at + 1);
  const errors: FieldError[] = [];
  if (scheme !== "https") {
    errors.push(invalid(path, scheme, `'https' is the only allowed URL scheme${form}`));
  }
  if (host === "") errors.push(invalid(path, host, `host must be specified${form}`));
  if (at >= 0) {
    const user = authority.slice(0, at);
    errors.push(invalid(path, user, "user information is not permitted in the URL"));
  }
  const fragment = fragments.join("#");
  if (fragment !== "") {
    errors.push(invalid(path, fragment, "fragments are not permitted in the URL"));
  }
  const query = queries.join("?");
  if (query !== "") {
    errors.push(invalid(path, query, "query parameters are not permitted in the URL"));
  }
  return errors;
}

/** The service of a webhook. */
export function validateWebhookService(
  service: { namespace?: string; name?: string; path?: string; port?: number },
  path: FieldPath,
): FieldError[] {
  const { namespace = "", name = "", port = 443 } = service;
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(path.child("name")));
  if (namespace === "") errors.push(required(path.child("namespace")));
  if (port < 1 || port > 65535) {
    errors.push(invalid(path.child("port"), port, `port is not valid: ${rangeMessage(1, 65535)}`));
  }
  return [...errors, ...validateUrlPath(service.path ?? "", path.child("path"))];
}

function validateUrlPath(urlPath: string, path: FieldPath): FieldError[] {
  if (urlPath === "" || urlPath === "/") return [];
  if (urlPath === "//") return [invalid(path, urlPath, "segment[0] may not be empty")];
  const errors: FieldError[] = [];
  if (!urlPath.startsWith("/")) errors.push(invalid(path, urlPath, "must start with a '/'"));
  const steps = urlPath.slice(1).replace(/\/$/, "").split("/");
  for (const [index, step] of steps.entries()) {
    if (step === "") {
      errors.push(invalid(path, urlPath, `segment[${index}] may not be empty`));
      continue;
    }
    for (const failure of isDNS1123Subdomain(step)) {
      errors.push(invalid(path, urlPath, `segment[${index}]: ${failure}`));
    }
  }
  return errors;
}

/** The problem with a CA bundle (base64); undefined if it has at least one valid certificate. */
export function caBundleProblem(caBundle: string): string | undefined {
  const prefix = "unable to load root certificates: ";
  const blocks = readPemBlocks(Buffer.from(caBundle, "base64").toString("latin1"));
  if (blocks.length === 0) return `${prefix}unable to parse bytes as PEM block`;
  const certificates = blocks.filter(({ type }) => type === "CERTIFICATE");
  if (certificates.some(({ der }) => isCertificate(der))) return undefined;
  return certificates.length === 0
    ? `${prefix}no valid certificate authority data seen`
    : `${prefix}failed to parse certificate: x509: malformed certificate`;
}

function isCertificate(der: Buffer): boolean {
  try {
    new X509Certificate(der);
    return true;
  } catch {
    return false;
  }
}
