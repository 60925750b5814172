import { goQuote } from "#/std/go/go-quote.ts";

/** The Kubernetes version that the server emulates. Minor versions of 1. */
export interface Compatibility {
  readonly emulation: number;
  readonly minCompatibility: number;
}

/** The minor version of this server, and the oldest that it can emulate or be compatible with. */
const binary = 37;
const floor = 34;

/**
 * Reads --emulated-version and --min-compatibility-version, each `1.36` or `kube=1.36`. Calls `refuse` for invalid
 * ones.
 *
 * Upstream: staging/src/k8s.io/component-base/compatibility/registry.go,
 * staging/src/k8s.io/component-base/compatibility/version.go.
 */
export function readCompatibility(
  flags: {
    readonly "emulated-version": readonly string[];
    readonly "min-compatibility-version": readonly string[];
  },
  refuse: (error: string) => void,
): Compatibility {
  const emulation = minorOf(flags["emulated-version"], refuse) ?? binary;
  const oldest = minorOf(flags["min-compatibility-version"], refuse);
  const minCompatibility = oldest ?? Math.max(emulation - 1, floor);
  if (emulation > binary || emulation < floor) {
    refuse(`emulation version 1.${emulation} is not between [1.${floor}, 1.${binary}.0]`);
  } else if (emulation < binary) {
    refuse(`emulation version 1.${emulation} is not to be had: this server is 1.${binary} only`);
  }
  if (minCompatibility > emulation || minCompatibility < floor) {
    refuse(
      `minCompatibilityVersion version 1.${minCompatibility} is not between [1.${floor}, 1.${emulation}]`,
    );
  }
  return { emulation, minCompatibility };
}

function minorOf(settings: readonly string[], refuse: (error: string) => void): number | undefined {
  let found: number | undefined;
  for (const setting of settings) {
    const [component = "", version] = setting.includes("=")
      ? setting.split("=")
      : ["kube", setting];
    if (component !== "kube") {
      refuse(`component not registered: ${component}`);
      continue;
    }
    const [, minor] = /^v?1\.(\d+)(?:\.\d+)?$/.exec(version ?? "") ?? [];
    if (minor === undefined) refuse(`could not parse ${goQuote(version ?? "")} as version`);
    else found = Number(minor);
  }
  return found;
}
