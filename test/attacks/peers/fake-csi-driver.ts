import { mkdir, rm } from "node:fs/promises";
import { createServer as createHttp2Server, type ServerHttp2Stream } from "node:http2";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { nodeService } from "#/machinery/csi/csi-node-service.ts";
import { registrationService } from "#/machinery/csi/plugin-registration.ts";
import { type Handlers, implement, serve } from "#/testing/grpc-server.ts";

type NodeCalls = Handlers<typeof nodeService>;
type RegistrationCalls = Handlers<typeof registrationService>;

/** What a driver does in place of the right thing. */
export interface FakeDriver {
  readonly name: string;
  readonly node?: NodeCalls;
  readonly registration?: RegistrationCalls;
  /** The driver's own socket; default one that works. */
  readonly endpoint?: string;
}

export interface RunningDriver extends AsyncDisposable {
  /** The results of the registration, as the kubelet reported them. */
  readonly statuses: readonly { readonly pluginRegistered: boolean; readonly error: string }[];
}

/** Never resolves: a call that hangs. */
export const hang = (): Promise<never> => new Promise(() => undefined);

/** Starts a driver that registers with the kubelet of a root directory, by a socket of this name. */
export async function startDriver(
  root: string,
  socket: string,
  { name, node, registration, endpoint: other }: FakeDriver,
): Promise<RunningDriver> {
  const own = join(root, `${socket}-driver.sock`);
  const statuses: { pluginRegistered: boolean; error: string }[] = [];
  const services = [
    implement(nodeService, {
      NodeGetInfo: async () => ({ nodeId: "id" }),
      NodeGetCapabilities: async () => ({
        capabilities: [{ rpc: { type: "STAGE_UNSTAGE_VOLUME" as const } }],
      }),
      NodeStageVolume: async () => ({}),
      NodeUnstageVolume: async () => ({}),
      NodePublishVolume: async ({ targetPath }) => {
        await mkdir(targetPath, { recursive: true });
        return {};
      },
      NodeUnpublishVolume: async ({ targetPath }) => {
        await rm(targetPath, { recursive: true, force: true });
        return {};
      },
      ...node,
    }),
  ];
  const driver = await serve({ address: `unix://${own}`, services });
  const register = implement(registrationService, {
    GetInfo: async () => ({
      type: "CSIPlugin",
      name,
      endpoint: other ?? own,
      supportedVersions: ["1.0.0"],
    }),
    NotifyRegistrationStatus: async (status) => {
      statuses.push(status);
      return {};
    },
    ...registration,
  });
  const address = `unix://${registrationSocket(root, socket)}`;
  const registering = await serve({ address, services: [register] });
  return {
    statuses,
    async [Symbol.asyncDispose]() {
      await registering[Symbol.asyncDispose]();
      await driver[Symbol.asyncDispose]();
    },
  };
}

export const registrationSocket = (root: string, socket: string): string =>
  join(root, "plugins_registry", `${socket}.sock`);

/** A server of bytes; without bytes it never answers. */
export async function serveBytes(path: string, bytes?: Buffer): Promise<Disposable> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    if (bytes) socket.write(bytes);
  });
  return listen(server, path);
}

/** An HTTP/2 server whose responses have no end: one gRPC message after another. */
export async function serveEndlessMessages(path: string): Promise<Disposable> {
  const message = Buffer.alloc(5 + (1 << 20));
  message.writeUInt32BE(1 << 20, 1);
  const server = createHttp2Server();
  server.on("session", (session) => session.on("error", () => undefined));
  server.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => undefined);
    stream.respond({ ":status": 200, "content-type": "application/grpc" });
    const more = (): void => {
      while (!stream.destroyed && stream.write(message));
      if (!stream.destroyed) stream.once("drain", more);
    };
    more();
  });
  return listen(server as unknown as Server, path);
}

async function listen(server: Server, path: string): Promise<Disposable> {
  const open = new Set<{ destroy(): void }>();
  server.on("connection", (socket) => open.add(socket));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  return {
    [Symbol.dispose]() {
      server.close();
      for (const socket of open) socket.destroy();
    },
  };
}
