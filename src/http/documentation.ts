export const pageStyle = "";
export const documentationPage = (_baseUrl: string, _region: string): string => "";
export const errorsPage = (): string => "";
