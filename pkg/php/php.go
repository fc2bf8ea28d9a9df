// Package php implements functions of PHP. The original extractor was written in PHP, and
// configurations depend on these functions: dates in expressions, formats, ids of rows
// and jobs.
//
//	DateIn      date
//	StrToTime   strtotime, in UTC
//	Sprintf     sprintf
//	Double      (string) and var_export of a float
//	Append…     serialize
//	URL…        urlencode, rawurlencode, urldecode
//	IsIndex     conversion of array keys to integers
//
// They behave as in PHP 7.4, which the original extractor used. Only the letter "p" of a
// date is from PHP 8. PHP's empty, is_numeric and casts are methods of value.Value, see
// pkg/value/php.go.
package php
