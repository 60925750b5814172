/** Upstream: staging/src/k8s.io/apiserver/pkg/server/options/{serving,authentication}.go. */
import { goQuote } from "#/std/go/go-quote.ts";

interface HeaderFlags {
  readonly "requestheader-username-headers": readonly string[];
  readonly "requestheader-group-headers": readonly string[];
  readonly "requestheader-extra-headers-prefix": readonly string[];
  readonly "requestheader-allowed-names": readonly string[];
  readonly "requestheader-uid-headers": readonly string[];
}

/** The error of a port out of range. A required server does not accept 0. */
export function portErrors(port: number, { required }: { readonly required: boolean }): string[] {
  const least = required ? 1 : 0;
  if (port >= least && port <= 65_535) return [];
  // Upstream reports a port that is too high with the message of a required server.
  const [from, zero] =
    required || port > 65_535
      ? [1, "It cannot be turned off with 0"]
      : [0, "0 for turning off secure port"];
  return [`--secure-port ${port} must be between ${from} and 65535, inclusive. ${zero}`];
}

/** The errors of invalid request headers. */
export function headerErrors(flags: HeaderFlags): string[] {
  const names = [
    "requestheader-username-headers",
    "requestheader-group-headers",
    "requestheader-extra-headers-prefix",
    "requestheader-allowed-names",
    "requestheader-uid-headers",
  ] as const;
  const empty = names.filter((name) => flags[name].some((header) => header.trim() === ""));
  const uids = flags["requestheader-uid-headers"].map((header) => header.toLowerCase());
  const noUid =
    "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work";
  return [
    ...empty.map((name) => `empty value in ${goQuote(name)}`),
    ...(uids.length > 0 && !uids.includes("x-remote-uid") ? [noUid] : []),
  ];
}
