from formicary_bench.reports.document.report import Report
REPORT = Report()
