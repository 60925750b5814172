/** A container of a Pod. */
export interface ContainerId {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

/** Starts the best shell that the container has. */
const findShell =
  "TERM=xterm-256color; export TERM; command -v bash >/dev/null 2>&1 && exec bash; exec sh";

const podPath = ({ namespace, pod }: ContainerId): string =>
  `/api/v1/namespaces/${namespace}/pods/${encodeURIComponent(pod)}`;

const streams = { stdin: "true", stdout: "true", tty: "true" };

/** The request that starts a shell in a container. */
export function shellPath(id: ContainerId): string {
  const query = new URLSearchParams({ container: id.container, ...streams });
  for (const word of ["sh", "-c", findShell]) query.append("command", word);
  return `${podPath(id)}/exec?${query}`;
}

/** The request that connects to what a container runs already. */
export function attachPath(id: ContainerId): string {
  return `${podPath(id)}/attach?${new URLSearchParams({ container: id.container, ...streams })}`;
}

/** The path to which debugPatch() is sent. */
export const debugPath = (id: ContainerId): string =>
  `${podPath(id)}/ephemeralcontainers?fieldManager=k8ts-console`;

/** Whether a command failed because the container has no shell. */
export const hasNoShell = (message: string): boolean =>
  /executable file not found|no such file or directory|stat .*: permission denied/i.test(message);

/** A name for a debug container that no other container of the Pod has. */
export function debugName(taken: readonly string[]): string {
  for (let number = 1; ; number++) {
    const name = `debugger-${number}`;
    if (!taken.includes(name)) return name;
  }
}

/** The patch that adds a debug container, which sees the processes of another one. */
export const debugPatch = (name: string, image: string, target: string): object => ({
  spec: {
    ephemeralContainers: [
      {
        name,
        image,
        targetContainerName: target,
        stdin: true,
        tty: true,
        terminationMessagePolicy: "File",
      },
    ],
  },
});
