/** The names of the chains of a service port. */
export interface ServicePortNames {
  readonly cluster: string;
  readonly local: string;
  readonly external: string;
  readonly firewall: string;
}
