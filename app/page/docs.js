/**
 * The documentation: Swagger UI, a script of its own, shows what the service says of itself.
 *
 * @module docs
 */

window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  showCommonExtensions: true,
});
