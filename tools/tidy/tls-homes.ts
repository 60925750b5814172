import { blankLiterals } from "./blank-literals.ts";
import { type Finding, lineAt, type SourceFile } from "./source-file.ts";

/** Modules that open connections with TLS, or serve TLS; tests and benchmarks are free to do so. */
const homes =
  /^(src\/std\/tls\/|src\/apiserver\/tls\/|src\/testing\/|test\/|bench\/|tools\/)|\.test\.ts$/;
const tlsImport = /import \{([^}]*)\} from "node:(tls|https)"/g;
const homeless = new Set(["connect", "createSecureContext", "Agent", "globalAgent"]);
const instead = "trust servers as Go does: connectTls(), TrustingAgent, trustOf() (#/std/tls)";

/** Clients whose trust OpenSSL would decide: it refuses bundles that Go accepts. */
export function checkTlsHomes(files: readonly SourceFile[]): Finding[] {
  return files.filter(({ path }) => !homes.test(path)).flatMap(findingsIn);
}

function findingsIn({ path, text }: SourceFile): Finding[] {
  const imports = [...text.matchAll(tlsImport)];
  const names = imports.flatMap(({ index, 1: list = "" }) =>
    list
      .split(",")
      .map((name) => name.trim().split(" ", 2))
      .filter(([name = ""]) => homeless.has(name))
      .map(([name]) => ({ index, what: name })),
  );
  const bundles =
    imports.length === 0
      ? []
      : [...blankLiterals(text).matchAll(/\bca\b(: | [},])/g)].map(({ index }) => ({
          index,
          what: "ca",
        }));
  return [...names, ...bundles].map(({ index, what }) => ({
    path,
    line: lineAt(text, index),
    message: `${what} is not for here: ${instead}`,
  }));
}
