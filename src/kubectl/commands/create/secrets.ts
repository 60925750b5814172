/** Upstream: staging/src/k8s.io/kubectl/pkg/cmd/create/create_secret{,_docker,_tls}.go. */
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isConfigMapKey } from "#/machinery/meta/text-rules.ts";
import { openFailure } from "#/std/files/file-errors.ts";
import { goQuote } from "#/std/go/go-quote.ts";
import { CommandError } from "../../base/errors.ts";
import type { Unstructured } from "../../base/unstructured.ts";
import type { Context } from "../../command/context.ts";
import {
  type AddKey,
  addEnvFiles,
  addFiles,
  addLiterals,
  checkSources,
  contentHash,
  sortedMap,
  sourceFlags,
} from "./data-sources.ts";
import { generator } from "./generator.ts";

interface SecretParts {
  readonly metadata: { readonly name: string };
  readonly type: string;
  readonly appendHash: boolean;
}

/** A secret whose keys are added by a function. */
function secretOf(
  { metadata, type, appendHash }: SecretParts,
  fill: (add: AddKey) => void,
): Unstructured {
  const data: Record<string, string> = {};
  fill((key, bytes) => {
    const problems = isConfigMapKey(key);
    if (problems.length > 0) {
      throw new CommandError(
        `${goQuote(key)} is not valid key name for a Secret ${problems.join(";")}`,
      );
    }
    if (Object.hasOwn(data, key)) {
      throw new CommandError(`cannot add key ${key}, another key by that name already exists`);
    }
    data[key] = bytes.toString("base64");
  });
  const sorted = sortedMap(data);
  const hashed = { kind: "Secret", type, name: metadata.name, data: sorted };
  const hash = appendHash ? `-${contentHash(hashed)}` : "";
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { ...metadata, name: `${metadata.name}${hash}` },
    data: sorted,
    ...(type === "" ? {} : { type }),
  };
}

/** `kubectl create secret generic`. */
export const createGenericSecret = generator({
  usage:
    "generic NAME [--type=string] [--from-file=[key=]source] [--from-literal=key1=value1] [--dry-run=server|client|none]",
  flags: {
    ...sourceFlags,
    type: { type: "string", help: "Type of the Secret; Opaque if it is not given" },
  },
  failure: "failed to create secret",
  build: ({ flags, metadata, context }) => {
    checkSources(flags);
    return secretOf({ metadata, type: flags.type, appendHash: flags["append-hash"] }, (add) => {
      addLiterals(flags["from-literal"], add);
      addFiles(context, flags["from-file"], add);
      addEnvFiles(context, flags["from-env-file"], "secret", add);
    });
  },
});

/** `kubectl create secret docker-registry`. */
export const createDockerSecret = generator({
  usage:
    "docker-registry NAME --docker-username=user --docker-password=password --docker-email=email [--docker-server=string] [--from-file=[key=]source] [--dry-run=server|client|none]",
  flags: {
    "docker-username": { type: "string", help: "User name for the registry" },
    "docker-password": { type: "string", help: "Password for the registry" },
    "docker-email": {
      type: "string",
      help: "Email address of the user, if the registry wants one",
    },
    "docker-server": {
      type: "string",
      default: "https://index.docker.io/v1/",
      help: "Host of the registry",
    },
    "append-hash": sourceFlags["append-hash"],
    "from-file": sourceFlags["from-file"],
  },
  failure: "failed to create secret",
  build: ({ flags, metadata, context }) => {
    const { "docker-username": username, "docker-password": password } = flags;
    const server = flags["docker-server"];
    const files = flags["from-file"];
    if (files.length === 0 && (username === "" || password === "" || server === "")) {
      throw new CommandError(
        "either --from-file or the combination of --docker-username, --docker-password and --docker-server is required",
      );
    }
    const parts = {
      metadata,
      type: "kubernetes.io/dockerconfigjson",
      appendHash: flags["append-hash"],
    };
    return secretOf(parts, (add) => {
      if (files.length > 0) {
        const keyed = files.map((file) =>
          file.includes("=") ? file : `.dockerconfigjson=${file}`,
        );
        return addFiles(context, keyed, add);
      }
      const auth = Buffer.from(`${username}:${password}`).toString("base64");
      const email = flags["docker-email"];
      const entry = { username, password, ...(email === "" ? {} : { email }), auth };
      add(".dockerconfigjson", Buffer.from(JSON.stringify({ auths: { [server]: entry } })));
    });
  },
});

/** `kubectl create secret tls`. */
export const createTlsSecret = generator({
  usage: "tls NAME --cert=path/to/cert/file --key=path/to/key/file [--dry-run=server|client|none]",
  flags: {
    cert: { type: "string", help: "File with the certificate in PEM format" },
    key: { type: "string", help: "File with the private key of that certificate" },
    "append-hash": sourceFlags["append-hash"],
  },
  failure: "failed to create secret",
  build: ({ flags, metadata, context }) => {
    if (flags.cert === "" || flags.key === "") {
      throw new CommandError("key and cert must be specified");
    }
    const [cert, key] = [readPem(context, flags.cert), readPem(context, flags.key)];
    checkPair(cert, key);
    const parts = { metadata, type: "kubernetes.io/tls", appendHash: flags["append-hash"] };
    return secretOf(parts, (add) => {
      add("tls.crt", cert);
      add("tls.key", key);
    });
  },
});

function readPem(context: Context, name: string): Buffer {
  try {
    return readFileSync(context.path(name));
  } catch (error) {
    throw new CommandError(`Cannot read file ${name}, ${openFailure(name, error)}`, {
      cause: error,
    });
  }
}

function checkPair(cert: Buffer, key: Buffer): void {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch (error) {
    throw new CommandError("tls: failed to find any PEM data in certificate input", {
      cause: error,
    });
  }
  try {
    if (certificate.checkPrivateKey(createPrivateKey(key))) return;
  } catch (error) {
    throw new CommandError("tls: failed to find any PEM data in key input", { cause: error });
  }
  throw new CommandError("tls: private key does not match public key");
}
