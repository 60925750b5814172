/**
 * The layers that an object passes, from the client to the Service, then its deletion. `volumes`, `network`, `image`
 * and `containers` are the parts of a node's work.
 */
export type Layer =
  | "client"
  | "authentication"
  | "authorization"
  | "admission"
  | "store"
  | "controllers"
  | "scheduling"
  | "node"
  | "volumes"
  | "network"
  | "image"
  | "containers"
  | "readiness"
  | "service"
  | "deletion";
