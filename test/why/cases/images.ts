import { type Case, condition, event, node, waiting } from "./recorded.ts";

/** What runtimes say about pulls that fail. */
const texts: readonly (readonly [cause: string, text: string, says: RegExp])[] = [
  [
    "image-not-found",
    'failed to resolve reference "docker.io/library/nginx:1.99": docker.io/library/nginx:1.99: not found',
    /registry docker\.io has no image "nginx:1\.99"/,
  ],
  [
    "image-not-found",
    "reading manifest 1.99 in docker.io/library/nginx: manifest unknown",
    /has no image/,
  ],
  ["image-not-found", "name unknown: repository name not known to registry", /has no repository/],
  [
    "image-access-denied",
    "pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed",
    /private, or does not exist; the Pod has no pull secret/,
  ],
  [
    "image-access-denied",
    "failed to authorize: failed to fetch oauth token: unexpected status: 401 Unauthorized",
    /refuses access .*authentication failed/,
  ],
  [
    "image-access-denied",
    "unexpected status code [manifests 1.99]: 403 Forbidden",
    /refuses access/,
  ],
  [
    "image-rate-limit",
    "429 Too Many Requests - Server message: toomanyrequests: You have reached your unauthenticated pull rate limit",
    /limits pulls/,
  ],
  ["image-platform", "no match for platform in manifest: not found", /processor architecture/],
  [
    "image-disk-full",
    "failed to copy: write /var/lib/containerd/x: no space left on device",
    /no disk space left/,
  ],
  [
    "registry-plain-http",
    'failed to do request: Head "https://r:5000/v2/": http: server gave HTTP response to HTTPS client',
    /plain HTTP/,
  ],
  [
    "registry-certificate",
    'Head "https://r/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    /signed by an authority that is not trusted/,
  ],
  [
    "registry-certificate",
    "x509: certificate has expired or is not yet valid: current time 2026",
    /has expired/,
  ],
  [
    "registry-unreachable",
    "dial tcp: lookup registry-1.docker.io: no such host",
    /its name cannot be resolved/,
  ],
  [
    "registry-unreachable",
    "dial tcp 10.0.0.1:443: connect: connection refused",
    /connection is refused/,
  ],
  ["registry-unreachable", "dial tcp 10.0.0.1:443: i/o timeout", /does not answer in time/],
  [
    "registry-unreachable",
    "unexpected status from HEAD request: 503 Service Unavailable",
    /answers 503/,
  ],
  [
    "image-signature",
    "SignatureValidationFailed: Source image rejected: A signature was required, but no signature exists",
    /signature is missing or invalid/,
  ],
  ["image-damaged", "failed to extract layer sha256:1: archive/tar: invalid tar header", /damaged/],
  [
    "image-short-name",
    'short-name "nginx:1.99" did not resolve to an alias',
    /no complete image name/,
  ],
  ["image-pull-failed", "something new", /cannot pull the image "nginx:1\.99": something new/],
];

export const imageCases: readonly Case[] = [
  {
    cause: "registry-unreachable",
    objects: [
      waiting(
        "ImagePullBackOff",
        'Back-off pulling image "registry.invalid/data:1": ErrImagePull: rpc error: dial tcp: lookup registry.invalid: no such host',
        { volumes: [{ name: "data", image: { reference: "registry.invalid/data:1" } }] },
      ),
    ],
    says: /the registry registry\.invalid for "registry\.invalid\/data:1"/,
  },
  ...texts.map(([cause, text, says]): Case => {
    const said = `rpc error: code = Unknown desc = ${text}`;
    return { cause, objects: [waiting("ErrImagePull", said)], says };
  }),
  {
    cause: "image-not-found",
    objects: [
      waiting("ImagePullBackOff", 'Back-off pulling image "nginx:1.99"'),
      event("Pod/web", "Failed", 'Failed to pull image "nginx:1.99": nginx:1.99: not found'),
    ],
    says: /has no image/,
  },
  {
    cause: "image-pull-secret-missing",
    objects: [
      waiting("ErrImagePull", "rpc error: 401 Unauthorized", {
        imagePullSecrets: [{ name: "regcred" }],
      }),
    ],
    says: /pull secret "regcred" of the Pod does not exist/,
  },
  { cause: "image-never-pulled", objects: [waiting("ErrImageNeverPull")], says: /Never forbids/ },
  {
    cause: "image-invalid-name",
    objects: [waiting("InvalidImageName")],
    says: /no valid image name/,
  },
  {
    cause: "image-inspect-failed",
    objects: [waiting("ImageInspectError", "broken")],
    says: /cannot inspect the image .*: broken/,
  },
  {
    cause: "image-pull-slow",
    objects: [
      waiting("ContainerCreating"),
      event("Pod/web", "Pulling", 'Pulling image "nginx:1.99"', {
        type: "Normal",
        lastTimestamp: "2026-01-01T00:05:00Z",
      }),
    ],
    says: /has been pulling an image for 5m/,
  },
  {
    cause: "progressing",
    objects: [
      waiting("ContainerCreating"),
      event("Pod/web", "Pulling", 'Pulling image "nginx:1.99"', { type: "Normal" }),
    ],
    says: /on its way, at image: node n1 is pulling its image/,
  },
  {
    cause: "image-always-pulled",
    objects: [
      waiting(
        "ErrImagePull",
        "rpc error: dial tcp: no such host",
        {},
        { image: "app", imagePullPolicy: "Always" },
      ),
      node({
        status: {
          conditions: [condition("Ready", "True")],
          images: [{ names: ["docker.io/library/app:latest"] }],
        },
      }),
    ],
    says: /is on the node, but imagePullPolicy Always/,
  },
];
