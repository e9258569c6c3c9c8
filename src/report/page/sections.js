// sections.js - the parts of the report around the timeline.

function showSections() {
}
