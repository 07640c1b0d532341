//! Games as a Parquet file, a row each, for data frames: [`Parquet`].

#[cfg(feature = "parquet")]
pub use file::Parquet;
#[cfg(not(feature = "parquet"))]
pub use missing::Parquet;

#[cfg(feature = "parquet")]
mod file {
    use std::io::Write;
    use std::sync::Arc;

    use parquet::basic::Compression;
    use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int64Type};
    use parquet::errors::{ParquetError, Result};
    use parquet::file::metadata::KeyValue;
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
    use parquet::schema::parser::parse_message_type;
    use serde_json::{Value, json};

    use crate::record::{COLUMNS, ColumnType, GameRecord, Shape};
    use crate::store::MatchSettings;
    use nply::Error;

    /// Games in a row group, which is held in memory until it is full.
    const GROUP: usize = 2000;

    /// A file of games that is being written: begin a match, add its games, begin the next, then finish.
    ///
    /// The columns are the match's name and [`COLUMNS`]. The settings of the matches are in the file's metadata, under `nply`,
    /// as JSON.
    pub struct Parquet {
        writer: SerializedFileWriter<Box<dyn Write + Send>>,
        matches: Vec<(String, MatchSettings)>,
        /// Games of the last match that are not written yet.
        games: Vec<GameRecord>,
    }

    impl Parquet {
        /// An error if nply was built without the feature `parquet`.
        pub fn check() -> std::result::Result<(), Error> {
            Ok(())
        }

        /// A file without games; an error if nply was built without the feature `parquet`.
        pub fn new(sink: Box<dyn Write + Send>) -> std::result::Result<Parquet, Error> {
            let new = || {
                let schema = Arc::new(parse_message_type(&schema())?);
                let properties = WriterProperties::builder()
                    .set_compression(Compression::SNAPPY)
                    .set_created_by(concat!("nply version ", env!("CARGO_PKG_VERSION")).into());
                SerializedFileWriter::new(sink, schema, Arc::new(properties.build()))
            };
            Ok(Parquet { writer: new().map_err(failed)?, matches: Vec::new(), games: Vec::new() })
        }

        /// Begins a match.
        pub fn begin(&mut self, name: &str, settings: &MatchSettings) -> std::result::Result<(), Error> {
            self.flush()?;
            self.matches.push((name.into(), settings.clone()));
            Ok(())
        }

        /// Adds a game of the match that was begun last.
        pub fn add(&mut self, record: &GameRecord) -> std::result::Result<(), Error> {
            self.games.push(record.clone());
            if self.games.len() < GROUP { Ok(()) } else { self.flush() }
        }

        fn flush(&mut self) -> std::result::Result<(), Error> {
            let games = std::mem::take(&mut self.games);
            if games.is_empty() { Ok(()) } else { self.group(&games).map_err(failed) }
        }

        fn group(&mut self, games: &[GameRecord]) -> Result<()> {
            let none = || ParquetError::General("a game has no match".into());
            let (name, settings) = self.matches.last().ok_or_else(none)?;
            let mut group = self.writer.next_row_group()?;
            let names = games.iter().map(|_| json!(name));
            Levels::new(Shape::One, names).write(&mut group, ColumnType::Text)?;
            for column in COLUMNS {
                let values = games.iter().map(|record| column.exported(record, settings));
                Levels::new(column.shape, values).write(&mut group, column.kind)?;
            }
            group.close()?;
            Ok(())
        }

        /// Writes the rest of the file.
        pub fn finish(mut self) -> std::result::Result<(), Error> {
            self.flush()?;
            let about = self.matches.iter().map(|(name, settings)| {
                let mut about = settings.json();
                about["match"] = json!(name);
                about
            });
            let about = about.collect::<Value>().to_string();
            self.writer.append_key_value_metadata(KeyValue::new("nply".into(), about));
            let mut sink = self.writer.into_inner().map_err(failed)?;
            sink.flush().map_err(|error| failed(error.into()))
        }
    }

    fn failed(error: ParquetError) -> Error {
        Error::file(format!("cannot write Parquet: {error}"))
    }

    /// The schema in Parquet's own notation.
    fn schema() -> String {
        let mut text = "message games { required binary match (STRING); ".to_string();
        for column in COLUMNS {
            let (kind, logical) = match column.kind {
                ColumnType::Count => ("int64", ""),
                ColumnType::Seed => ("int64", "(INTEGER(64,false))"),
                ColumnType::Share => ("float", ""),
                ColumnType::Millis => ("double", ""),
                ColumnType::Text | ColumnType::Agent => ("binary", "(STRING)"),
            };
            let (name, repetition) = (column.name, if column.shape.is_optional() { "optional" } else { "required" });
            text.push_str(&if column.shape.is_list() {
                format!(
                    "{repetition} group {name} (LIST) {{ repeated group list {{ required {kind} element {logical}; }} }} "
                )
            } else {
                format!("{repetition} {kind} {name} {logical}; ")
            });
        }
        text + "}"
    }

    /// The values of a column with Parquet's levels, which say where lists begin and what is missing.
    struct Levels {
        values: Vec<Value>,
        definition: Vec<i16>,
        repetition: Vec<i16>,
    }

    impl Levels {
        fn new(shape: Shape, values: impl Iterator<Item = Value>) -> Levels {
            let full = i16::from(shape.is_optional()) + i16::from(shape.is_list());
            let mut levels = Levels { values: Vec::new(), definition: Vec::new(), repetition: Vec::new() };
            for value in values {
                match value {
                    Value::Null => levels.push(None, 0, 0),
                    Value::Array(items) if items.is_empty() => levels.push(None, full - 1, 0),
                    Value::Array(items) => {
                        for (index, item) in items.into_iter().enumerate() {
                            levels.push(Some(item), full, i16::from(index > 0));
                        }
                    }
                    value => levels.push(Some(value), full, 0),
                }
            }
            levels
        }

        fn push(&mut self, value: Option<Value>, definition: i16, repetition: i16) {
            self.values.extend(value);
            self.definition.push(definition);
            self.repetition.push(repetition);
        }

        fn write(
            &self,
            group: &mut SerializedRowGroupWriter<'_, Box<dyn Write + Send>>,
            kind: ColumnType,
        ) -> Result<()> {
            match kind {
                // Only an outside program can report more nodes than 63 bits hold.
                ColumnType::Count => self.put::<Int64Type>(group, |value| {
                    i64::try_from(value.as_u64().unwrap_or_default()).unwrap_or(i64::MAX)
                }),
                ColumnType::Seed => self.put::<Int64Type>(group, |value| {
                    value.as_str().and_then(|text| text.parse::<u64>().ok()).unwrap_or_default() as i64
                }),
                ColumnType::Share => self.put::<FloatType>(group, |value| value.as_f64().unwrap_or(f64::NAN) as f32),
                ColumnType::Millis => self.put::<DoubleType>(group, |value| value.as_f64().unwrap_or(f64::NAN)),
                ColumnType::Text | ColumnType::Agent => {
                    self.put::<ByteArrayType>(group, |value| ByteArray::from(value.as_str().unwrap_or_default()))
                }
            }
        }

        fn put<T: DataType>(
            &self,
            group: &mut SerializedRowGroupWriter<'_, Box<dyn Write + Send>>,
            value: fn(&Value) -> T::T,
        ) -> Result<()> {
            let values: Vec<T::T> = self.values.iter().map(value).collect();
            let missing = || ParquetError::General("the schema has too few columns".into());
            let mut column = group.next_column()?.ok_or_else(missing)?;
            column.typed::<T>().write_batch(&values, Some(&self.definition), Some(&self.repetition))?;
            column.close()
        }
    }

    #[cfg(test)]
    mod tests {
        use std::fs::File;

        use parquet::file::reader::{FileReader, SerializedFileReader};
        use parquet::record::Field;

        use super::*;
        use crate::record::tests::sample;

        /// What is written to a file by `write`.
        fn written(write: impl FnOnce(Parquet)) -> SerializedFileReader<File> {
            let file = tempfile::tempfile().unwrap();
            write(Parquet::new(Box::new(file.try_clone().unwrap())).unwrap());
            SerializedFileReader::new(file).unwrap()
        }

        /// The rows as JSON with the columns' names, and the metadata.
        fn read(reader: &SerializedFileReader<File>) -> (Vec<Value>, Value) {
            let metadata = reader.metadata().file_metadata();
            let about = &metadata.key_value_metadata().unwrap()[0];
            assert_eq!(about.key, "nply");
            let about = serde_json::from_str(about.value.as_ref().unwrap()).unwrap();
            let row = |row: parquet::record::Row| {
                row.get_column_iter().map(|(name, field)| (name.clone(), json(field))).collect::<Value>()
            };
            (reader.get_row_iter(None).unwrap().map(|next| row(next.unwrap())).collect(), about)
        }

        fn json(field: &Field) -> Value {
            match field {
                Field::Null => Value::Null,
                Field::Long(number) => json!(number),
                Field::ULong(number) => json!(number.to_string()),
                Field::Float(number) => json!(number.to_string().parse::<f64>().unwrap()),
                Field::Double(number) => json!(number),
                Field::Str(text) => json!(text),
                Field::ListInternal(list) => list.elements().iter().map(json).collect(),
                other => panic!("{other:?}"),
            }
        }

        #[test]
        fn every_game_reads_back_with_every_column() {
            let agents = vec!["brs".into(), "program:path=(ä \"b\"),args=(x y)".into()];
            let settings = MatchSettings { agents, players: 3, seed: u64::MAX, ..MatchSettings::default() };
            let mut games: Vec<GameRecord> = (0..100).map(sample).collect();
            games[9] = GameRecord { moves: Vec::new(), decisions: Vec::new(), ..sample(9) };
            let (rows, about) = read(&written(|mut file| {
                for (name, games) in [("first", &games[..]), ("none", &[]), ("second", &games[..3])] {
                    file.begin(name, &settings).unwrap();
                    games.iter().for_each(|record| file.add(record).unwrap());
                }
                file.finish().unwrap();
            }));
            assert_eq!((rows.len(), about.as_array().unwrap().len()), (103, 3));
            assert_eq!((&about[0]["seed"], &about[2]["match"]), (&json!(u64::MAX), &json!("second")));
            let names = std::iter::repeat_n("first", 100).chain(std::iter::repeat_n("second", 3));
            for ((row, record), name) in rows.iter().zip(games.iter().chain(&games[..3])).zip(names) {
                assert_eq!(row, &crate::game_json(name, &settings, record));
            }
        }

        #[test]
        fn a_file_without_games_has_all_columns() {
            let reader = written(|file| file.finish().unwrap());
            let schema = reader.metadata().file_metadata().schema();
            let names: Vec<&str> = schema.get_fields().iter().map(|field| field.name()).collect();
            let expected = std::iter::once("match").chain(COLUMNS.iter().map(|column| column.name));
            assert_eq!(names, expected.collect::<Vec<&str>>());
        }
    }
}

#[cfg(not(feature = "parquet"))]
mod missing {
    use std::io::Write;

    use crate::record::GameRecord;
    use crate::store::MatchSettings;
    use nply::Error;

    /// A file of games: nothing makes one without the feature `parquet`.
    pub enum Parquet {}

    impl Parquet {
        /// An error: nply was built without the feature `parquet`.
        pub fn check() -> Result<(), Error> {
            let error = Error::usage("this nply was built without the feature `parquet`");
            Err(error.help("build it with --features parquet, or write CSV or JSON"))
        }

        /// The same error.
        pub fn new(_: Box<dyn Write + Send>) -> Result<Parquet, Error> {
            Err(Parquet::check().expect_err("it is missing"))
        }

        /// Begins a match.
        pub fn begin(&mut self, _: &str, _: &MatchSettings) -> Result<(), Error> {
            match *self {}
        }

        /// Adds a game of the match that was begun last.
        pub fn add(&mut self, _: &GameRecord) -> Result<(), Error> {
            match *self {}
        }

        /// Writes the rest of the file.
        pub fn finish(self) -> Result<(), Error> {
            match self {}
        }
    }

    #[cfg(test)]
    mod tests {
        #[test]
        fn an_error_names_the_feature() {
            let error = super::Parquet::new(Box::new(Vec::new())).err().unwrap();
            assert!(error.message.contains("the feature `parquet`") && error.code.is_usage(), "{error}");
        }
    }
}
