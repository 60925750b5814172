/** A group of command lines that run in order against one server. */
export interface Suite {
  readonly name: string;
  /** Files in the folder where commands run, by name. `$PROGRAMS` stands for the folder that is their PATH. */
  readonly files?: Readonly<Record<string, string>>;
  /** Whether there is a node, `local`, whose container is a folder of this machine. */
  readonly hasLocalNode?: boolean;
  readonly cases: readonly GoldenCase[];
}

/** A command line, with options of its own. */
export type GoldenCase =
  | string
  | {
      readonly command: string;
      readonly stdin?: string;
      readonly env?: Readonly<Record<string, string>>;
      /** The only part of the output that is compared; for help, of which only flags and usage lines are upstream's. */
      readonly only?: "usage";
    };

/** The recorded answer of a command. */
export interface Recorded {
  readonly command: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The words of a command line, with single and double quotes as in a shell. */
export function splitWords(line: string): string[] {
  const words: string[] = [];
  for (const [text] of line.matchAll(/(?:[^\s'"]|'[^']*'|"(?:[^"\\]|\\.)*")+/g)) {
    words.push(
      text.replace(
        /'([^']*)'|"((?:[^"\\]|\\.)*)"/g,
        (_, single?: string, double?: string) => single ?? (double ?? "").replace(/\\(.)/g, "$1"),
      ),
    );
  }
  return words;
}

/** Replaces values that may differ from run to run. */
export function normalize(text: string, port: number, folders: readonly string[]): string {
  let result = text
    .replaceAll(`127.0.0.1:${port}`, "127.0.0.1:6443")
    .replaceAll(`192.0.2.1:${port}`, "192.0.2.1:6443");
  for (const folder of folders) result = result.replaceAll(folder, "/tmp");
  return (
    result
      // Gates of client-go, which ours does not have.
      .replace(/^I\d{4} .* envvar\.go:.*\n/gm, "")
      .replace(/\bmilliseconds=\d+/g, "milliseconds=N")
      .replace(/User-Agent: kubectl\/.*/g, "User-Agent: kubectl")
      .replace(/Content-Length: \d+/g, "Content-Length: N")
      .replace(/Date: \w{3}, .* GMT/g, "Date: TIME")
      .replace(/v1\.37\.1\+k8ts\d+\.\d+\.\d+/g, "v1.37.1")
      .replace(/"compiler": "k8ts\d+\.\d+\.\d+"/g, '"compiler": "k8tsVERSION"')
      .replace(/^[EWIF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] /gm, "KLOG ")
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)/g, "TIME")
      .replace(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d [+-]\d{4}/g, "TIME")
      .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [+-]\d{4} [\w+-]+/g, "TIME")
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID")
      .replace(/:0x[0-9a-f]{9,}/g, ":0xADDRESS")
      .replace(/\b(LIVE|MERGED)-\w+/g, "$1-XXXXX")
      .replace(/^((?:---|\+\+\+) \S+\t)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\S* \S+$/gm, "$1TIME")
      .replace(/(Resource Version: +)\d+/g, "$1RV")
      .replace(/(TargetPort: +)\d{5}\//g, "$1PORT/")
      .replace(/kubectl-edit-\w+\./g, "kubectl-edit-XXXXX.")
      .replace(/\b(debugger(?:-node-\d|-local)?)-[a-z0-9]{5}\b/g, "$1-XXXXX")
      .replace(/kube-api-access-\w{5}/g, "kube-api-access-XXXXX")
      .replace(/("?resourceVersion"?: ?\\?"?)\d+/g, "$1RV")
      .replace(/(resource version to be \d+, was )\d+/g, "$1RV")
      .replace(/\b\d\dy\b/g, "AGE")
      .replace(/\b(\d+s|(?:\d+y)?\d+d)( +|$)/gm, (_, age: string, spaces: string) =>
        spaces === "" ? "AGE" : `AGE${" ".repeat(Math.max(1, age.length + spaces.length - 3))}`,
      )
      .replace(/10\.0\.\d+\.\d+( *)/g, (ip, spaces: string) =>
        spaces.length < 2 ? `CLUSTERIP${spaces}` : "CLUSTERIP".padEnd(ip.length),
      )
  );
}

/** Of help only the usage line and the flags with their defaults; the rest is our own prose. */
export function usageOnly(text: string): string {
  const lines = text.split("\n");
  const usage = lines.indexOf("Usage:");
  return [
    ...(usage < 0 ? [] : [lines[usage + 1] ?? ""]),
    ...lines.filter((line) => /^ {4}(?:-\w, )?--[\w-]+=.*:$/.test(line)),
  ].join("\n");
}
