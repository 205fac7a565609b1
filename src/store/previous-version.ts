/**
 * The newest migration of the previous version. A version works beside the previous one on one database, and beside no
 * older one: what this schema still keeps for older programs may go. CONTRIBUTING.md says when this number changes.
 */
export const oldestBeside = 33;
